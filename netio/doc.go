// Package netio carries the frames of Active Pebbles between the ranks of a job.
//
// A transport moves frames, each one header and many pebbles of one type for one hop, and knows nothing of what is in
// them. What stands above opens no socket and reads no clock: it is handed a [Transport], and asks its [Port] for the
// time.
//
// Every transport promises the same, and the suite in netio/netiotest proves it of each:
//
//   - A frame that was handed to [Port.Send] arrives at the port of its To rank exactly once, unchanged, or the job is
//     told by the function given to [Transport.Start] that it was not. Frames have no order.
//   - Send never blocks and never runs foreign code. What is in flight is bounded by the sender, who counts it in its
//     [Pool]: a data frame is lent until its receiver has called [Frame.Release], in this process or another. So senders
//     that hold back when too much is lent, or too many frames are charged to an account ([Frame.Charge]), bound the
//     memory of both ends, and a transport needs no bound of its own: the frames for one rank never hold up another's.
//   - Control frames are never held up behind data frames.
//   - When a receiver can't release a frame any more, because its process is lost or has finished or the job was aborted,
//     the frame comes back all the same: once, like all others.
//   - A peer that is lost, or lies, is told of within the time limits of the transport, by an error that names it.
//
// Beside frames, a port gives its rank access to memory that processes expose ([OneSided]), which works while the
// owner's ranks do something else. The suite proves that, too: operations do what a twin does, no word is torn and no
// addition lost, withdrawn memory is met by nobody, and what is bad or lost is an error.
//
// This package is the contract alone. Package netio/mem is the transport for the ranks of one process, netio/tcp for
// several processes, on one host or many, and netio/sim simulates a job in one process. Over TCP lie faster ways to
// some processes: netio/shm for those on one host. netio/connect opens the transport between processes by its name.
// [Spread] says which process has which ranks.
//
// A transport has a [Pool] for each of its ports, with a [Keeper] of its own. Methods named Inside or Under are for the
// transports of this module.
package netio
