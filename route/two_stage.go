package route

type twoStage struct{ *columns }

// TwoStage goes from core to core within a process and then between processes: core c of process p sends to core c' of
// p, which has the number of the destination's core, and that one to core c' of process p'. So a network whose switches
// the ranks don't see, such as a Clos network, gets frames that combine pebbles of all cores of a process (TRAM,
// section V.C). Processes may have any numbers of cores: a core c' that the smallest process lacks gets its pebbles
// from another core of p'.
//
// The constructor alone assumes one process, as [Direct] does; Place sets the processes.
//
// Guarantees, for n processes of c cores: at most 2 hops; at most c-1 neighbours in the process and n-1 in others; P
// times (c-1 + n-1) frames for an all-to-all of one pebble each; two stages, links within processes before those
// between them. If sizes differ, a hop and a stage more: links to cores that the smallest process lacks.
func TwoStage(ranks int) Topology { return newTwoStage(together("two-stage", ranks)) }

func newTwoStage(p *placement) twoStage {
	return twoStage{newColumns(p, direct(p.nodes()))}
}

var (
	_ Router  = twoStage{}
	_ Staged  = twoStage{}
	_ Bounded = twoStage{}
	_ Placed  = twoStage{}
)

func (t twoStage) Name() string { return "two-stage" }

func (t twoStage) Place(first []int) Topology {
	return newTwoStage(newPlacement(t.Name(), t.ranks(), first))
}
