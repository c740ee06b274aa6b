package route

// Staged is a topology whose links have an order: along every route each hop takes a link of a higher stage than the
// hop before it, so that no cycle of links can wait for each other. A rank that forwards can then hold back what it
// can't pass on, and an epoch can end stage by stage (TRAM, sections III.B and III.D). [Check] proves it.
type Staged interface {
	Topology
	// Stages is the number of stages.
	Stages() int
	// Stage is the stage of the link between two neighbours, 0 to Stages()-1.
	Stage(from, to int) int
}

// Bounded is a topology that knows the longest of its routes.
type Bounded interface {
	Topology
	// Hops is the number of hops on the longest route; 1 at the least.
	Hops() int
}

// Placed is a topology that depends on which ranks share a process. Whoever makes it for a job calls Place.
type Placed interface {
	Topology
	// Place returns the topology of a job whose process i has the ranks from first[i] on, up to the next process's first.
	Place(first []int) Topology
}
