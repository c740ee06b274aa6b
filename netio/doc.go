// Package netio carries the frames of Active Pebbles between the ranks of a job.
//
// A transport moves frames. Each frame is one header and many pebbles of one type for one hop. The transport does not
// read the pebbles. The packages above netio open no socket and read no clock: they get a [Transport], and read the
// time at its [Port].
//
// All transports make the same promises. The suite in netio/netiotest tests them for each:
//
//   - A frame given to [Port.Send] arrives at the port of its To rank exactly once, unchanged; otherwise the function
//     given to [Transport.Start] is called with an error. Frames have no order.
//   - Send never blocks and never calls code of the program. The sender bounds the frames in flight: its [Pool] lends
//     a data frame until its receiver has called [Frame.Release], in this process or another. A sender stops when too
//     much memory is lent, or too many frames are charged to an account ([Frame.Charge]). This bounds the memory of
//     both ends, so a transport needs no bound, and frames for one rank never delay those for another.
//   - Control frames never wait behind data frames.
//   - If a receiver can no longer release a frame, because its process is lost or has finished or the job was aborted,
//     the frame returns to its pool once, like all others.
//   - The transport reports a lost or lying peer within its time limits, by an error that names the peer.
//
// A port also gives its rank access to memory that processes expose ([OneSided]), while the owner's ranks do other
// work. The suite tests that operations agree with a serial twin, that no word is torn and no addition lost, that no
// operation reaches withdrawn memory, and that bad addresses and lost processes are errors.
//
// This package holds only the contract. Package netio/mem is the transport for the ranks of one process, and netio/tcp
// for several processes on one host or many. netio/sim simulates a job in one process. Faster ways lie over TCP:
// netio/shm between processes of one host, netio/ofi between those that a fabric connects. Package netio/connect opens
// the transport between processes by name. [Spread] assigns ranks to processes.
//
// A transport has a [Pool] with a [Keeper] for each of its ports. Methods named Inside or Under are for the transports
// of this module.
package netio
