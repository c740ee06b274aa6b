package route

// Staged is a topology whose links have an order: along every route each hop takes a link of a higher stage than the
// hop before it, so that links can't wait for each other in a cycle. A rank that forwards can then hold back frames
// that it can't pass on, and an epoch can end stage by stage (TRAM, sections III.B and III.D). [Check] proves it.
type Staged interface {
	Topology
	// Stages returns the number of stages.
	Stages() int
	// Stage returns the stage of the link between two neighbours, 0 to Stages()-1.
	Stage(from, to int) int
}

// Bounded is a topology with a known bound on the hops of its routes.
type Bounded interface {
	Topology
	// Hops returns the number of hops on the longest route, at least 1.
	Hops() int
}

// Placed is a topology that depends on the processes of ranks. The code that makes it for a job calls Place.
type Placed interface {
	Topology
	// Place returns the topology of a job whose process i has the ranks from first[i] on, up to the next process's
	// first.
	Place(first []int) Topology
}
