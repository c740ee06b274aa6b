// Package pebble is the runtime of Active Pebbles for Go: jobs and ranks, epochs and their end, collectives, and the
// progress that carries frames in and out.
//
// A program calls [Main] (or [Run]) with a function that every rank runs. The function registers targets with package
// target, and sends pebbles inside epochs:
//
//	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
//		// register targets, then
//		return r.Epoch(func() error {
//			// send pebbles
//			return nil
//		})
//	})
//
// When Epoch returns nil, every pebble of the epoch for this rank has been handled: those that any rank sent, and those
// that handlers sent because of them. Without a declared depth ([Depth]) that is so on all ranks. What may be called
// where, what is promised and what is asked in return is written in docs/contract.md.
//
// This package touches no socket, file or clock itself. [Run] works on the netio.Transport in its Config, or on one for
// the ranks of this process; [Main] joins the job that a launcher has started, which opens the transport.
package pebble
