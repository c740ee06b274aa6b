package route

type hosts struct {
	*columns
	between Constructor
}

// Hosts returns a constructor of topologies of two levels, for jobs with several ranks per host: direct within a host,
// over shared memory, and along the inner topology between hosts. The inner topology is [Direct], [Hypercube], [Tree]
// or one by [MeshOf]. The ranks with the same number within their hosts form a column. A pebble goes to the column of
// its destination within its host, and then along the column. So few frames cross the network, and each combines
// pebbles of all ranks of a host (TRAM, section V.C). Hosts may have any numbers of ranks: the smallest host sets the
// number of columns, and a pebble for a higher rank takes one more hop within the last host.
//
// In an all-to-all of one pebble per pair of ranks, over H hosts of c ranks and d neighbours each, with P = Hc, these
// numbers of frames cross the network:
//
//	P(P-c)  directly
//	Pd      along columns, as here, with one hop within a host
//	Pd      along the sender's column, with one hop within the last host: pebbles of one host for one key then cross
//	        before they can meet in a cache
//	Hd      over one link between two hosts, as [ThreeStage] has it between processes: up to one hop within each host
//	        on the way, no stages, and d ranks of a host with all the work
//
// The constructor alone assumes one host, as [Direct] does; OnHosts sets the hosts.
//
// Guarantees: at most one hop more than the inner topology; at most c-1 neighbours in the host and d in others, log2 H
// for a hypercube; P times (c-1 + d) frames for an all-to-all of one pebble each, Pd of them between hosts; one stage
// more than the inner topology. If sizes differ, one more hop and stage, and the ranks above the smallest host's have
// no neighbours in other hosts.
func Hosts(inner Constructor) Constructor {
	return func(ranks int) Topology {
		name := "hosts:" + upperOf(inner, 1).Name()
		return newHosts(together(name, ranks), inner)
	}
}

func newHosts(p *placement, inner Constructor) hosts {
	return hosts{newColumns(p, upperOf(inner, int(p.nodes()))), inner}
}

var (
	_ Router  = hosts{}
	_ Staged  = hosts{}
	_ Bounded = hosts{}
	_ Hosted  = hosts{}
)

func (t hosts) Name() string { return "hosts:" + t.inner.Name() }

// OnHosts implements [Hosted].
func (t hosts) OnHosts(first []int) Topology {
	return newHosts(newPlacement(t.Name(), t.ranks(), first), t.between)
}
