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
	// Start lets frames flow. failed is called, from any goroutine and at most once for each cause, when a peer process
	// is lost or has told that the job failed; it must not block.
	Start(failed func(error))
	// Port is the end of one rank of this process.
	Port(rank int) Port
	// Abort tells every other process that the job has failed and why, as far as it can still be told, and returns at
	// once. Frames that are sent afterwards are dropped.
	Abort(reason string)
	// Close ends the transport in order: the peers are told that this process has finished, and what was sent before
	// leaves first. It returns within the transport's time limit, and leaves no goroutine, socket or file behind.
	Close() error
}

// Port is one rank's end of a transport. All methods but Wake are for the rank's own goroutine.
type Port interface {
	// Send hands f to the transport, which takes it to the port of rank f.To, which may be this one. It never blocks.
	// The frame belongs to the transport from here on, and to the receiver after it has arrived. A data frame comes
	// back to its pool, and leaves the account that it was charged to, when its receiver has released it, wherever that
	// is: at once in this process; from another one soon after a rank there parks or, for senders with little in
	// flight, calls Recv, and within about a millisecond when they are all busy. It also comes back when nobody can
	// release it any more: the receiver's process is lost or has finished, or the job was aborted. A control frame may
	// come back as soon as it has left.
	Send(f *Frame)
	// Recv returns a frame that has arrived, or nil. The caller owns it and must Release it.
	Recv() *Frame
	// Fetch looks whether a frame has arrived, and has the processor bring the first one near while the rank continues
	// with other work, so that its payload needn't be waited for when Recv returns it. It costs a few nanoseconds when
	// there is none.
	Fetch()
	// Pool lends the frames that this port sends. What it has lent bounds the memory that these frames take, here and
	// with their receivers; nothing else does.
	Pool() *Pool
	// Wait parks the caller until a frame has arrived, a frame of its pool has come back, Wake was called, or d has
	// passed; it may also return for no reason. A negative d is no limit. Before it parks, other processes are told
	// which of their frames were released here.
	Wait(d time.Duration)
	// Wake ends the port's current Wait, or its next one. Any goroutine may call it.
	Wake()
	// OneSided is the rank's access to exposed memory. It costs nothing before it is first used.
	OneSided() OneSided
	// Pause lets other ranks run for a moment: what a rank does between two looks for work.
	Pause()
	// Now is the time since some fixed moment, never decreasing. It costs about 40 ns.
	Now() time.Duration
}

// RankBytes is the least memory that a rank takes, in bytes: its goroutine, its port, a target, and its part of an
// epoch.
const RankBytes = 64 << 10
