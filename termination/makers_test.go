package termination_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

func TestByName(t *testing.T) {
	require.Equal(t, []string{"auto", "nbx", "ordered", "pcx", "pcx-neighbors", "skr"}, termination.Names())
	site := termination.Site{Ranks: 4, Depth: 1, Hops: 2, Topology: route.Hypercube(4)}
	for _, name := range termination.Names() {
		make, err := termination.ByName(name)
		require.NoError(t, err)
		d, err := make(site)
		require.NoError(t, err)
		if name != "auto" {
			require.Equal(t, name, d.Name())
		}
	}
	_, err := termination.ByName("dijkstra")
	require.EqualError(t, err,
		`termination: unknown detector "dijkstra": use one of auto, nbx, ordered, pcx, pcx-neighbors, skr`)
	_, err = termination.Messages("dijkstra", site)
	require.ErrorContains(t, err, "unknown detector")
}

// Makers report the missing property, and Messages reports the same.
func TestMakersRefuseWhereTheyDoNotHold(t *testing.T) {
	good := termination.Site{Rank: 1, Ranks: 4, Depth: 1, Hops: 2, Topology: route.Hypercube(4)}
	with := func(change func(*termination.Site)) termination.Site {
		s := good
		change(&s)
		return s
	}
	all := []string{"skr", "pcx", "nbx", "pcx-neighbors", "ordered"}
	for _, c := range []struct {
		names []string
		site  termination.Site
		words string
	}{
		{all, with(func(s *termination.Site) { s.Rank = 4 }), "on rank 4 of 4: ranks are 0 to P-1"},
		{all, with(func(s *termination.Site) { s.Ranks = 0 }), "on rank 1 of 0: ranks are 0 to P-1"},
		{all, with(func(s *termination.Site) { s.Depth = -1 }),
			"with depth -1: a depth is at least 1, or 0 when it is not known"},
		{all, with(func(s *termination.Site) { s.Hops = -1 }), "with routes of -1 hops: a route has at least 1 hop"},
		{all, with(func(s *termination.Site) { s.Ranks = 5 }),
			`on 5 ranks with topology "hypercube" of 4: make the topology for`},
		{all[1:], with(func(s *termination.Site) { s.Depth = 0 }),
			"needs a declared depth: let the epoch declare it with pebble.Depth(n), or use skr"},
		{all[1:4], with(func(s *termination.Site) { s.Hops = 0 }),
			"needs routes of a known length, and they may change while an epoch runs"},
		{all[1:4], with(func(s *termination.Site) { s.Depth = 1 << 30 }),
			"would need a round for each of 1073741824 pebbles times 2 hops"},
		{all[3:], with(func(s *termination.Site) { s.Topology = nil }), "needs one topology for all targets"},
		{all[4:], with(func(s *termination.Site) { s.Topology = oneWay(4) }),
			`needs a topology whose links have stages, and "one-way" has none`},
		{all[4:], with(func(s *termination.Site) { s.Topology = wild{route.Hypercube(4).(route.Staged)} }),
			`has the link from rank 1 to rank 0 at stage 9, and its stages are 0 to 1`},
	} {
		for _, name := range c.names {
			make, err := termination.ByName(name)
			require.NoError(t, err)
			_, err = make(c.site)
			require.ErrorContains(t, err, "termination: "+name+" ")
			require.ErrorContains(t, err, c.words)
		}
	}
}

// wild has links of stages outside its range.
type wild struct{ route.Staged }

func (wild) Stage(_, _ int) int { return 9 }
