package main

import (
	"math"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/netio/sim"
)

// change is one difference from the paper's RandomAccess.
type change struct {
	what    string
	network func(*sim.Network)
	epoch   int    // updates of a rank; 0 means the paper's
	credits int    // 0 means the default
	ends    [2]way // zero values mean the paper's
}

// with changes the links between hosts.
func with(change func(*sim.Link)) func(*sim.Network) {
	return func(n *sim.Network) { change(&n.Between) }
}

func changes() []change {
	ended := func(direct, routed string) [2]way { return [2]way{{"direct", direct}, {"hypercube", routed}} }
	return []change{
		{what: "as the paper ran it"},
		{what: "half of o", network: with(func(k *sim.Link) { k.Overhead /= 2 })},
		{what: "twice o", network: with(func(k *sim.Link) { k.Overhead *= 2 })},
		{what: "half of g", network: with(func(k *sim.Link) { k.Gap /= 2 })},
		{what: "twice g", network: with(func(k *sim.Link) { k.Gap *= 2 })},
		{what: "half of L", network: with(func(k *sim.Link) { k.Latency /= 2 })},
		{what: "twice L", network: with(func(k *sim.Link) { k.Latency *= 2 })},
		{what: "half of G", network: with(func(k *sim.Link) { k.PerByte /= 2 })},
		{what: "twice G", network: with(func(k *sim.Link) { k.PerByte *= 2 })},
		{what: "pebbles cost nothing", network: func(n *sim.Network) {
			n.Costs.Send, n.Costs.Handle, n.Costs.Pass = 0,
				0, 0
		}},
		{what: "pebbles cost four times as much", network: func(n *sim.Network) {
			n.Costs.Send, n.Costs.Handle, n.Costs.Pass = 4*n.Costs.Send, 4*n.Costs.Handle, 4*n.Costs.Pass
		}},
		{what: "one rank a node", network: func(n *sim.Network) { n.ProcessesPerHost = 1 }},
		{what: "epochs of 256 updates", epoch: 256},
		{what: "epochs of 4,096 updates", epoch: 4096},
		{what: "epochs of 16,384 updates", epoch: 16384},
		{what: "one frame of credit", credits: 1},
		{what: "both end by skr", ends: ended("skr", "skr")},
		{what: "hypercube ends by ordered", ends: ended("pcx", "ordered")},
		{what: "hypercube that clears bits first, and so has a busy rank",
			ends: [2]way{{"direct", "pcx"}, {clearingName, "pcx"}}},
		{what: "mesh of 2 dimensions, pcx", ends: [2]way{{"direct", "pcx"}, {"mesh:2", "pcx"}}},
		{what: "mesh of 3 dimensions, pcx", ends: [2]way{{"direct", "pcx"}, {"mesh:3", "pcx"}}},
	}
}

// whatDecides changes one thing at a time, and finds the crossing of the routed and the direct curve.
func whatDecides(l *simulator, d *drawing) {
	t := lab.NewTable("what is changed", "routed is faster", "direct at 64 ranks: µs an epoch", "routed at 64 ranks",
		"direct at 128", "routed at 128")
	for _, c := range changes() {
		direct, routed := c.curves(l)
		last := direct.at[len(direct.at)-1]
		t.Row(c.what, describe(crossing(direct, routed), direct.at[0], last, "ranks"),
			direct.of(64), routed.of(64), direct.of(128), routed.of(128))
	}
	d.table(t)
}

// of returns the curve's value at a place, or NaN.
func (c *curve) of(at float64) float64 {
	for i := range c.at {
		if c.at[i] == at {
			return c.is[i]
		}
	}
	return math.NaN()
}

// curves returns the times of an epoch up to twice the number of ranks at the crossing.
func (c change) curves(l *simulator) (direct, routed *curve) {
	network, each := sim.Machines["odin"], lookAhead
	if c.network != nil {
		c.network(&network)
	}
	if c.epoch > 0 {
		each = c.epoch
	}
	both := c.ends
	if both == [2]way{} {
		both = [2]way(ways[:2])
	}
	drawn := [2]*curve{{}, {}}
	for _, ranks := range l.upTo(ranksFirst, ranksMost) {
		if ranks > 128 && crossing(drawn[0], drawn[1]) < float64(ranks)/2 {
			break
		}
		for i, w := range both {
			o := l.run(world{network: network, ranks: ranks, topology: w.topology, termination: w.termination,
				credits: c.credits},
				updates(epochsRun, each))
			drawn[i].add(float64(ranks), 1e6*o.Seconds/epochsRun)
		}
	}
	return drawn[0], drawn[1]
}
