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
	// Hops returns the number of hops on the longest route, or a few more, at least 1. Some detectors take time for
	// each.
	Hops() int
}

// Placed is a topology that depends on the processes of ranks. The code that makes it for a job calls Place.
type Placed interface {
	Topology
	// Place returns the topology of a job whose process i has the ranks from first[i] on, up to the next process's
	// first.
	Place(first []int) Topology
}

// Hosted is a topology that depends on the hosts of ranks. The code that makes it for a job calls OnHosts.
type Hosted interface {
	Topology
	// OnHosts returns the topology of a job whose host i has the ranks from first[i] on, up to the next host's first.
	OnHosts(first []int) Topology
}

// Places has the first ranks of a job's processes and of its hosts, as netio.Place does.
type Places interface {
	Firsts() []int
	Hosts() []int
}

// PlaceOn returns a topology for the processes and hosts of a job if it depends on them, and otherwise the topology
// itself.
func PlaceOn(t Topology, job Places) Topology {
	if p, ok := t.(Placed); ok {
		t = p.Place(job.Firsts())
	}
	if h, ok := t.(Hosted); ok {
		t = h.OnHosts(job.Hosts())
	}
	return t
}
