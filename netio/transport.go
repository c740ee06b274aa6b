package netio

import "time"

// Transport connects the ranks of this process with all ranks of the job.
//
// Place and Port may be called at any time; Start once, before the first frame is sent; Abort from any goroutine at any
// time; Close once, last.
type Transport interface {
	// Name is the word that flags and results use: "mem", "shm", "tcp"; "shm+tcp" for a mix.
	Name() string
	Place() Place
	// Start lets frames flow. The transport calls failed from any goroutine, at most once for each cause, when a peer
	// process is lost or has reported that the job failed; failed must not block.
	Start(failed func(error))
	// Port is the end of one rank of this process.
	Port(rank int) Port
	// Abort tells every other process that the job has failed and why, as far as possible, and returns at once. Frames
	// that are sent afterwards are dropped.
	Abort(reason string)
	// Close ends the transport in order: frames that were sent before leave first, and then the peers are told that this
	// process has finished. It returns within the transport's time limit, and leaves no goroutine, socket or file behind.
	Close() error
}

// Port is one rank's end of a transport. All methods but Wake are for the rank's own goroutine.
type Port interface {
	// Send gives f to the transport, which takes it to the port of rank f.To, which may be this one. It never blocks. The
	// frame then belongs to the transport, and after its arrival to the receiver. A data frame comes back to its pool, and
	// leaves its account, when its receiver has released it: at once within this process; from another process soon after
	// a rank there parks or, for senders with little in flight, calls Recv, and within about a millisecond if all ranks
	// there are busy. It also comes back when its receiver can no longer release it: the receiver's process is lost or has
	// finished, or the job was aborted. A control frame may come back as soon as it has left.
	Send(f *Frame)
	// Recv returns a frame that has arrived, or nil. The caller owns it and must Release it.
	Recv() *Frame
	// Fetch looks for a frame that has arrived, and prefetches the payload of the first one, so that the rank need not
	// wait for it after Recv. Without a frame it costs a few nanoseconds.
	Fetch()
	// Pool returns the pool of the frames that this port sends. The bytes that it has lent are the only bound of the
	// memory that these frames take, here and at their receivers.
	Pool() *Pool
	// Wait parks the caller until a frame has arrived, a frame of its pool has come back, Wake was called, or d has
	// passed; it may also return for no reason. A negative d is no limit. Before it parks, it sends pending
	// acknowledgements to other processes.
	Wait(d time.Duration)
	// Wake ends the port's current Wait, or its next one. Any goroutine may call it.
	Wake()
	// OneSided is the rank's access to exposed memory. It costs nothing before it is first used.
	OneSided() OneSided
	// Pause lets other ranks run for a moment. A rank calls it between two looks for work.
	Pause()
	// Now returns the time since some fixed moment; it never decreases. It costs about 40 ns.
	Now() time.Duration
}

// RankBytes is the least memory that a rank takes, in bytes: its goroutine, its port, a target, and its part of an
// epoch.
const RankBytes = 64 << 10
