package termination

import "github.com/activepebbles/pebbles/route"

// Counts are the data frames of one rank since the job began. They may wrap: only sums and equality are used.
type Counts struct {
	Created   uint64 // frames handed to the transport
	Processed uint64 // frames whose pebbles have all been handled or passed on
}

// Site is the context of a detector: one rank of a job, and what is known of the pebbles of its epochs. It is equal on
// all ranks but for Rank.
type Site struct {
	Rank, Ranks int
	// Depth is the longest chain of pebbles: 1 when handlers send nothing. 0 is no limit.
	Depth int
	// Hops is the longest route of any target. 0 is no limit: routes may change while an epoch runs.
	Hops int
	// Topology is the one that all targets use; nil when they use several.
	Topology route.Topology
}

// Maker makes a rank's detector; it fails with an error when the detector does not hold at the site.
type Maker func(Site) (Detector, error)

// State is what a detector knows of its rank. It is valid for one call of Step.
type State struct {
	Counts
	// Idle reports whether the rank has nothing to do: its body has returned, nothing is queued, held back or waiting for
	// credit, and no buffer for a link of a stage up to the detector's (see [Stager]) holds a pebble. It may be false for
	// a while though the rank has nothing to do.
	Idle bool
	// Back reports whether every frame this rank has handed to the transport has been processed by its receiver. It may be
	// false for a while though they all have been. Only detectors that say so by [Awaiter] need it.
	Back bool
	// Ledger has the frames of this epoch by link and phase. Only detectors that say so by [Keeper] have one.
	Ledger *Ledger
}

// Network carries a detector's messages. Sequence numbers are taken from Open, which gives the same numbers in the same
// order on every rank: a detector opens one for each round, equally often on all ranks, and so keeps the messages of a
// rank that is ahead apart.
type Network interface {
	Open() uint64
	// Send takes a copy of value to another rank.
	Send(to int, seq uint64, tag uint32, value []byte)
	// Take returns what another rank has sent with this number and tag, if it has arrived: each message once, valid until
	// the next call.
	Take(from int, seq uint64, tag uint32) (value []byte, ok bool)
}

// Detector decides for one rank when an epoch has ended. All ranks reach the same verdict, each when it has received
// enough.
//
// A verdict always means that the body of every rank has returned, that all pebbles for this rank have been handled or
// passed on, and that no more will come for it in this epoch. Of [SKR] and [NBX] it means more: that all pebbles have
// been handled everywhere. After the others' verdict ([PCX], [Neighbors], [Ordered]) other ranks may still be handling
// pebbles of the epoch, which no longer concern this rank. After any verdict this rank may begin the next epoch while
// others still are in the last round of this one: so frames must carry their epoch, and a frame of a coming epoch must
// wait until its receiver has begun that.
type Detector interface {
	// Name is the name that flags and results use.
	Name() string
	// Begin starts the detection of a new epoch. The one before has ended for this rank, or there was none.
	Begin()
	// Step advances the detection as far as possible without waiting, and reports whether the epoch has ended. Call it
	// again whenever a message has arrived or the state has changed.
	Step(n Network, s State) (ended bool)
	// Rounds is the number of rounds since the job began.
	Rounds() uint64
}

// Stager is a detector that ends an epoch stage by stage: the runtime sends what waits in buffers, when there is
// nothing else to do, only for links of a stage up to Stage. Buffers that are full or due leave as always.
//
// Step may change Stage, which changes the meaning of Idle: so it stops there, and must be called again before its rank
// waits for anything.
type Stager interface {
	Detector
	Stage() int
}

// Keeper is a detector that needs a [Ledger].
type Keeper interface {
	Detector
	KeepsLedger()
}

// Awaiter is a detector that needs [State.Back]. It costs the runtime a read of what receivers have written.
type Awaiter interface {
	Detector
	AwaitsReceivers()
}
