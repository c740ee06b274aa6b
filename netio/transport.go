package netio

import "time"

// Transport connects the ranks of this process with all ranks of the job.
//
// Place and Port may be called at any time. Start is called once, before the first frame is sent. Any goroutine may
// call Abort at any time. Close is called once, last.
type Transport interface {
	// Name returns the word for flags and results: "mem", "shm", "tcp"; "shm+tcp" for a mix.
	Name() string
	Place() Place
	// Start starts the flow of frames. The transport calls failed from any goroutine, at most once for each cause, when
	// a peer process is lost or has reported the failure of the job. failed must not block.
	Start(failed func(error))
	// Port returns the end of one rank of this process.
	Port(rank int) Port
	// Abort sends every other process the reason of the job's failure, as far as possible, and returns immediately. It
	// drops frames that are sent afterwards.
	Abort(reason string)
	// Close ends the transport in order. Frames that were sent before leave first. Then Close tells the peers that this
	// process has finished. It returns within the transport's time limit, and leaves no goroutine, socket or file.
	Close() error
}

// Port is one rank's end of a transport. All methods except Wake are for the rank's goroutine.
type Port interface {
	// Send sends f to the port of rank f.To, which may be this port. It never blocks. The frame belongs to the
	// transport, and after its arrival to the receiver. A data frame returns to its pool, and leaves its account, when
	// its receiver has released it. Within this process it returns immediately. From another process it returns soon
	// after a rank there parks or, for senders with little in flight, calls Recv, and within about a millisecond if all
	// ranks there are busy. It also returns when its receiver can no longer release it: the receiver's process is lost
	// or has finished, or the job was aborted. A control frame may return as soon as it has left.
	Send(f *Frame)
	// Recv returns an arrived frame, or nil. The caller owns the frame and must release it.
	Recv() *Frame
	// Fetch looks for arrived frames and prefetches the payload of the first one, so that the rank need not wait for it
	// after Recv. Without a frame it costs a few nanoseconds.
	Fetch()
	// Pool returns the pool of the frames that this port sends. Its lent bytes are the only bound of the memory of
	// these frames, here and at their receivers.
	Pool() *Pool
	// Wait parks the caller until a frame has arrived, a frame of its pool has returned, Wake was called, or d has
	// passed. It may also return for no reason. A negative d means no limit. Before it parks, it sends pending
	// acknowledgements to other processes.
	Wait(d time.Duration)
	// Wake ends the port's current Wait, or its next one. Any goroutine may call it.
	Wake()
	// OneSided returns the rank's access to exposed memory. It costs nothing before its first use.
	OneSided() OneSided
	// Pause lets other ranks run for a moment. A rank calls it between two looks for work.
	Pause()
	// Now returns the time since a fixed moment. It never decreases. It costs about 40 ns.
	Now() time.Duration
}

// RankBytes is the minimum memory of a rank, in bytes: its goroutine, its port, a target, and its part of an epoch.
const RankBytes = 64 << 10
