package termination

import "github.com/activepebbles/pebbles/route"

// Counts counts the data frames of one rank, and its messages between locks, since the job began. They may wrap: only
// sums and equality are used.
type Counts struct {
	Created   uint64 // frames handed to the transport
	Processed uint64 // frames whose pebbles have all been handled or passed on
}

// Site is the context of a detector: one rank of a job, and the properties of the pebbles of its epochs. It is equal on
// all ranks except for Rank.
type Site struct {
	Rank, Ranks int
	// Depth is the longest chain of pebbles: 1 if handlers send nothing. 0 is no limit.
	Depth int
	// Hops is the longest route of any target. 0 is no limit: routes may change while an epoch runs.
	Hops int
	// Topology is the topology of all targets; nil if they use several.
	Topology route.Topology
}

// Maker makes a rank's detector; it returns an error if the detector does not hold at the site.
type Maker func(Site) (Detector, error)

// State is the state of a detector's rank. It is valid for one call of Step.
type State struct {
	Counts
	// Idle reports whether the rank has nothing to do: its body has returned, nothing is queued, held or waiting for
	// credit, and the buffers hold no pebbles. For a [Stager], only buffers of links up to its Stage count. It may be
	// false for a while although the rank has nothing to do.
	Idle bool
	// Back reports whether every frame that this rank has handed to the transport has been processed by its receiver.
	// It may be false for a while although they all have. Only an [Awaiter] needs it.
	Back bool
	// Ledger holds the frames of this epoch by link and phase. Only a [Keeper] has one.
	Ledger *Ledger
}

// Network carries a detector's messages. Open returns the same sequence numbers in the same order on every rank, and so
// distinguishes the messages of a rank that is ahead. A detector opens one for each round. Collectives use the same
// sequence, so all ranks must open equally often in an epoch.
type Network interface {
	Open() uint64
	// Send sends a copy of value to another rank. The detector chooses tags, which distinguish messages of one number.
	Send(to int, seq uint64, tag uint32, value []byte)
	// Take returns the message that another rank has sent with this number and tag, if it has arrived: each message
	// once, valid until the next call.
	Take(from int, seq uint64, tag uint32) (value []byte, ok bool)
}

// Detector decides for one rank when an epoch has ended: this decision is its verdict. All ranks reach it, each when it
// has received enough.
//
// A verdict always means that the body of every rank has returned, that all pebbles for this rank have been handled or
// passed on, and that no more will come for it in this epoch. The verdict of [SKR] and [NBX] also means that all
// pebbles have been handled everywhere. After the verdict of the others ([PCX], [Neighbors], [Ordered]), other ranks
// may still be handling pebbles of the epoch, which no longer concern this rank. After any verdict, this rank may begin
// the next epoch while others are still in the last round of this one: so frames must carry their epoch, and a frame of
// a coming epoch must wait until its receiver has begun that epoch.
type Detector interface {
	// Name returns the name in flags and results.
	Name() string
	// Begin starts the detection of a new epoch. The previous one, if any, has ended for this rank.
	Begin()
	// Step advances the detection as far as possible without waiting, and reports whether the epoch has ended. Call it
	// again whenever a message has arrived or the state has changed. The runtime also calls it repeatedly while the
	// rank is idle, before it parks.
	Step(n Network, s State) (ended bool)
	// Rounds returns the number of rounds that this detector has ended: for counters, and, in epochs without a declared
	// depth, to begin rounds less often after unsuccessful ones.
	Rounds() uint64
}

// Stager is a detector that ends an epoch stage by stage: an idle runtime sends waiting buffers only for links of a
// stage up to Stage. Buffers that are full or due leave as always.
//
// Step may change Stage, which changes the meaning of Idle: so it stops there, and must be called again before its rank
// waits.
type Stager interface {
	Detector
	Stage() int
}

// Keeper is a detector that needs a [Ledger].
type Keeper interface {
	Detector
	KeepsLedger()
}

// Awaiter is a detector that needs [State.Back]. It costs the runtime a read of memory that receivers have written.
type Awaiter interface {
	Detector
	AwaitsReceivers()
}
