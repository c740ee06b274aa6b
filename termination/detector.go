package termination

// Counts are the data frames of one rank since the job began. They may wrap: only sums and equality are used.
type Counts struct {
	Created   uint64 // frames handed to the transport
	Processed uint64 // frames whose pebbles have all been handled or passed on
}

// Network carries a detector's messages. Sequence numbers are taken from Open, which gives the same numbers in the same
// order on every rank.
type Network interface {
	Open() uint64
	Send(to int, seq uint64, tag uint32, value []byte)
	Take(from int, seq uint64, tag uint32) (value []byte, ok bool)
}

// Detector decides for one rank when an epoch has ended. All ranks come to the same verdict, each when it has heard
// enough.
type Detector interface {
	// Name is the word that flags and results use.
	Name() string
	// Begin starts to watch a new epoch.
	Begin()
	// Step takes the detection as far as it goes without waiting, and tells whether the epoch has ended. idle says that
	// the rank is at rest: its body has returned, nothing is queued, buffered or held back, and c is current. Call it
	// again whenever a message has arrived or the rank has come to rest.
	Step(n Network, idle bool, c Counts) (ended bool)
	// Rounds is the number of global rounds since the job began.
	Rounds() uint64
}
