// Package pebble is the runtime of Active Pebbles for Go: jobs and ranks, epochs and their end, collectives, and the
// progress engine that carries frames in and out.
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
// When Epoch returns nil, this rank has handled every pebble of the epoch that was sent to it, by any rank or by
// handlers. Without a declared depth ([Depth]), all ranks have handled theirs. docs/contract.md lists the calls that
// are allowed in each place, the guarantees, and the duties of programs.
//
// This package touches no socket, file or clock itself. [Run] works on the netio.Transport in its Config, or on one for
// the ranks of this process; [Main] joins the job that a launcher has started, which opens the transport.
package pebble
