package route_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// dynamicOn makes a dynamic topology with new marks.
func dynamicOn(base route.Constructor, ranks int) (route.Topology, *route.Links) {
	links := route.NewLinks()
	return route.Dynamic(base)(ranks).(route.Watching).Watch(links), links
}

// markSome marks links of the base, and ranks.
func markSome(rng *rand.Rand, base route.Topology, links *route.Links) {
	for range rng.IntN(2 * base.Ranks()) {
		at := rng.IntN(base.Ranks())
		if near := base.Neighbors(at); len(near) > 0 {
			links.Mark(at, near[rng.IntN(len(near))], rng.IntN(4) > 0)
		}
	}
	for range rng.IntN(1 + base.Ranks()/3) {
		links.MarkRank(rng.IntN(base.Ranks()), true)
	}
}

const far = 1 << 20

// live returns the distances between ranks past all marks, by trying all ranks in between.
func live(base route.Topology, links *route.Links) [][]int {
	ranks := base.Ranks()
	d := make([][]int, ranks)
	for a := range ranks {
		d[a] = make([]int, ranks)
		for b := range ranks {
			d[a][b] = far
		}
		d[a][a] = 0
		for _, n := range base.Neighbors(a) {
			if !links.Down(a, n) {
				d[a][n] = 1
			}
		}
	}
	for via, a := range pairs(ranks) {
		for b := range ranks {
			if !links.RankDown(via) || via == a || via == b {
				d[a][b] = min(d[a][b], d[a][via]+d[via][b])
			}
		}
	}
	return d
}

// marked reports whether a route passes a mark.
func marked(route []int, links *route.Links) bool {
	for i, here := range route[1:] {
		if links.Down(route[i], here) || i+2 < len(route) && links.RankDown(here) {
			return true
		}
	}
	return false
}

// Under random marks, over all pairs: the base's route if it is free, and else a shortest way as long as there is one,
// past all marks and without a loop. A plan has the same hops, or names the ranks that it can't reach.
func TestDynamicRoutesPassNoMark(t *testing.T) {
	rng := random(t)
	bases := []route.Constructor{
		route.Hypercube, route.Ring, route.Tree, route.Direct, route.MeshOf(2), route.MeshOf(3),
		func(ranks int) route.Topology { return route.TwoStage(ranks).(route.Placed).Place(even(ranks, 3)) },
		func(ranks int) route.Topology { return onHosts(route.Hypercube, ranks, even(ranks, 3)) },
		func(ranks int) route.Topology { return goodRing(ranks) },
	}
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	lost := 0
	for range rounds {
		for ranks := 2; ranks <= 20; ranks += 1 + rng.IntN(3) {
			for _, base := range bases {
				topology, links := dynamicOn(base, ranks)
				markSome(rng, base(ranks), links)
				lost += checkDynamic(t, base(ranks), topology, links)
			}
		}
	}
	require.Positive(t, lost, "no marks left ranks without a way")
}

// checkDynamic returns the number of ranks that can't reach all others.
func checkDynamic(t *testing.T, base, topology route.Topology, links *route.Links) (lost int) {
	distance := live(base, links)
	hops := distances(t, topology) // no loop
	for at := range base.Ranks() {
		reached := true
		for dest := range base.Ranks() {
			if at == dest {
				continue
			}
			way, plain := path(topology, at, dest), path(base, at, dest)
			right := len(way) == hops[at][dest]+1
			switch {
			case !marked(plain, links):
				right = right && slices.Equal(plain, way)
			case distance[at][dest] < far:
				right = right && !marked(way, links) && distance[way[1]][dest] == distance[at][dest]-1
			default:
				reached, right = false, right && plain[1] == way[1]
			}
			if !right {
				t.Fatalf("%s over %d with %v marked: %d to %d goes %v, without marks %v",
					topology.Name(), base.Ranks(), links.Marks(), at, dest, way, plain)
			}
		}
		plan := route.NewPlan(topology, at)
		require.Equal(t, !reached, plan.Stale())
		if !reached {
			lost++
			require.ErrorContains(t, plan.Renew(), fmt.Sprintf("rank %d has no way left to rank", at))
		}
	}
	same(t, topology)
	return lost
}

// Marks come and go; a plan that is renewed each time equals a new plan, and its lanes stay.
func TestPlanFollowsMarks(t *testing.T) {
	const ranks, at = 19, 6
	rng := random(t)
	topology, links := dynamicOn(route.Hypercube, ranks)
	links.Mark(at, at, true) // this is no link
	plan := route.NewPlan(topology, at)
	require.False(t, plan.Stale())
	lanes := append([]int(nil), plan.Lanes...)
	dests := make([]uint32, ranks)
	got, want := make([]uint32, ranks), make([]uint32, ranks)
	for d := range dests {
		dests[d] = uint32(d)
	}
	for range 300 {
		before := links.Version()
		r := rng.IntN(ranks)
		if near := topology.Neighbors(r); rng.IntN(3) > 0 {
			links.Mark(r, near[rng.IntN(len(near))], rng.IntN(2) == 0)
		} else {
			links.MarkRank(r, rng.IntN(3) == 0)
		}
		fresh := route.NewPlan(topology, at)
		require.Equal(t, links.Version() != before || fresh.Stale(), plan.Stale())
		err := plan.Renew()
		require.Equal(t, err != nil, fresh.Stale())
		require.Equal(t, err != nil, plan.Stale())
		require.Equal(t, lanes, plan.Lanes)
		plan.Fill(dests, got)
		fresh.Fill(dests, want)
		require.Equal(t, want, got)
		for lane, n := range lanes {
			require.Equal(t, lane == plan.Self || !links.Down(at, n), plan.Link(lane))
		}
	}
}

func TestPlanNamesLostRanksAndMarks(t *testing.T) {
	topology, links := dynamicOn(route.Ring, 6)
	plan := route.NewPlan(topology, 2)
	links.Mark(4, 3, true)
	links.MarkRank(1, true)
	require.True(t, plan.Stale())
	require.EqualError(t, plan.Renew(), `route: topology "dynamic:ring": rank 2 has no way left to rank 0, 4, 5: `+
		"marked are link 3-4, rank 1: unmark some of them")
	require.True(t, plan.Stale())
	links.MarkRank(1, false)
	require.NoError(t, plan.Renew())
	require.False(t, plan.Stale())

	for r := range 40 {
		links.MarkRank(r+6, true)
	}
	links.MarkRank(1, true)
	require.ErrorContains(t, plan.Renew(), "rank 11, and 34 more")
}

// A plan of any other topology never changes.
func TestOtherPlansAreNeverStale(t *testing.T) {
	for _, topology := range []route.Topology{route.Direct(5), route.Hypercube(5), star(5), route.Dynamic(route.Ring)(5)} {
		plan := route.NewPlan(topology, 3)
		require.False(t, plan.Stale())
		require.NoError(t, plan.Renew())
		require.True(t, plan.Link(0))
	}
	require.Panics(t, func() { route.NewPlan(ring{3, func(_, dest int) int { return dest }, goodRing(3).neighbors}, 0) })
}

// detour is a user's topology that watches: a ring whose pebbles turn back at a mark. As a Router it computes hops on
// demand, and the plan would not see when they change.
type detour struct {
	ring
	links *route.Links
}

func (d detour) Watch(l *route.Links) route.Topology { return detour{d.ring, l} }
func (d detour) Links() *route.Links                 { return d.links }
func (d detour) Slots(int, []uint32, []uint32)       { panic("asked for slots") }
func (d detour) Next(at, dest int) int {
	above, below := (at+1)%d.ranks, (at+d.ranks-1)%d.ranks
	if !d.links.Down(at, above) {
		return above
	}
	if !d.links.Down(at, below) {
		return below
	}
	return -1
}

func TestPlanOfAUsersWatchingTopology(t *testing.T) {
	links := route.NewLinks()
	topology := detour{ring{ranks: 5, neighbors: route.Ring(5).Neighbors}, nil}.Watch(links)
	plan := route.NewPlan(topology, 4)
	lanes := make([]uint32, 1)
	next := func() int {
		plan.Fill([]uint32{2}, lanes)
		return plan.Lanes[lanes[0]]
	}
	require.Equal(t, 0, next())
	links.Mark(0, 4, true)
	require.True(t, plan.Stale())
	require.NoError(t, plan.Renew())
	require.Equal(t, 3, next())
	links.Mark(3, 4, true)
	require.ErrorContains(t, plan.Renew(), "the next hop from rank 4 to rank 0 is -1, which is not a neighbour of "+
		"rank 4")
	require.True(t, plan.Stale())
	links.Mark(3, 4, false)
	require.NoError(t, plan.Renew())
	require.False(t, plan.Stale())
}

func TestDynamicPassesOn(t *testing.T) {
	placed := route.Dynamic(route.TwoStage)(7).(route.Placed).Place([]int{0, 3})
	require.Equal(t, "dynamic:two-stage", placed.Name())
	require.Equal(t, twoStage(7, []int{0, 3}).Neighbors(4), placed.Neighbors(4))
	links := route.NewLinks()
	watched := placed.(route.Watching).Watch(links)
	require.Same(t, links, watched.(route.Placed).Place([]int{0, 5}).(route.Watching).Links())
	require.Nil(t, placed.(route.Watching).Links())
	ringed := route.Dynamic(route.Ring)(7)
	require.Equal(t, ringed, ringed.(route.Placed).Place([]int{0, 3}))
	_, bounded := route.Hops(ringed)
	require.False(t, bounded)
	require.False(t, route.Proven(route.Dynamic(func(n int) route.Topology { return star(n) })(4)))
}

func TestDynamicRefuses(t *testing.T) {
	require.Contains(t, words(func() { route.Dynamic(nil)(3) }), "dynamic over 3 ranks: its base is nil")
	require.Contains(t, words(func() { route.Dynamic(func(int) route.Topology { return nil })(3) }), "has made nothing")
	require.Contains(t, words(func() { route.Dynamic(route.Dynamic(route.Ring))(3) }),
		"its base, dynamic:ring, routes around marks by itself")
}

func TestLinks(t *testing.T) {
	links := route.NewLinks()
	require.False(t, links.Down(1, 2))
	require.Zero(t, links.Version())
	links.Mark(2, 1, true)
	links.MarkRank(7, true)
	require.True(t, links.Down(1, 2))
	require.True(t, links.Down(2, 1))
	require.False(t, links.RankDown(1))
	require.True(t, links.RankDown(7))
	require.EqualValues(t, 2, links.Version())
	require.Equal(t, []route.Mark{{From: 1, To: 2, Down: true, Count: 1, By: -1},
		{From: 7, To: -1, Down: true, Count: 2, By: -1}}, links.Marks())

	links.Mark(1, 2, true)
	links.Mark(3, 4, false)
	links.MarkRank(1, false)
	require.EqualValues(t, 2, links.Version(), "nothing has changed")

	other := route.NewLinks()
	for _, m := range links.Marks() {
		other.Apply(m)
	}
	require.Equal(t, links.Marks(), other.Marks())
	for _, m := range links.Marks() {
		m.Down = false
		other.Issue(m, 3)
	}
	require.Empty(t, other.Marks())
	require.EqualValues(t, 4, other.Version())
}

// Views that get the same marks in different orders are equal in the end, also if marks of one link cross.
func TestViewsConverge(t *testing.T) {
	const views, ranks, rounds = 4, 3, 200
	rng := random(t)
	for range rounds {
		links := make([]*route.Links, views)
		waiting := make([][]route.Mark, views) // to be applied
		for v := range links {
			links[v] = route.NewLinks()
		}
		apply := func(v int) {
			i := rng.IntN(len(waiting[v]))
			links[v].Apply(waiting[v][i])
			waiting[v] = slices.Delete(waiting[v], i, i+1)
		}
		for range 30 {
			v := rng.IntN(views)
			if len(waiting[v]) > 0 && rng.IntN(2) == 0 {
				apply(v)
				continue
			}
			m := route.Mark{From: rng.IntN(ranks), To: rng.IntN(ranks+1) - 1, Down: rng.IntN(2) == 0}
			m = links[v].Issue(m, v)
			require.Equal(t, m.Down, m.To == -1 && links[v].RankDown(m.From) || m.To >= 0 && links[v].Down(m.From, m.To),
				"who marks follows at once")
			for other := range links {
				if other != v {
					waiting[other] = append(waiting[other], m)
				}
			}
		}
		for v := range links {
			for len(waiting[v]) > 0 {
				apply(v)
			}
			require.Equal(t, links[0].Marks(), links[v].Marks())
			for a := range ranks {
				require.Equal(t, links[0].RankDown(a), links[v].RankDown(a))
				for b := range ranks {
					require.Equal(t, links[0].Down(a, b), links[v].Down(b, a))
				}
			}
		}
	}
}

// A mark that removed a mark is stored: an older one that arrives later does not restore it.
func TestAnOlderMarkComesTooLate(t *testing.T) {
	a, b := route.NewLinks(), route.NewLinks()
	down := a.Issue(route.Mark{From: 2, To: 1, Down: true}, 0)
	up := a.Issue(route.Mark{From: 1, To: 2}, 0)
	b.Apply(up)
	b.Apply(down)
	b.Apply(down)
	require.False(t, b.Down(1, 2))
	require.Zero(t, b.Version(), "nothing has changed that can be seen")
	require.Equal(t, up.Count+1, b.Issue(route.Mark{From: 5, To: -1, Down: true}, 1).Count,
		"a mark is later than those that it knew of")
}

// Marks travel as 21 bytes; bytes that are not a mark are refused.
func TestMarkOnTheWire(t *testing.T) {
	for _, m := range []route.Mark{
		{Count: 1}, {From: 5, To: -1, Down: true, Count: 1 << 62, By: 7}, {From: 1<<31 - 1, To: 1<<31 - 1, Down: true,
			Count: 3, By: 1<<31 - 1},
		{From: 70000, To: 3, Count: 1 << 40},
	} {
		b, err := m.AppendBinary([]byte("x"))
		require.NoError(t, err)
		require.Len(t, b, 22)
		var got route.Mark
		require.NoError(t, got.UnmarshalBinary(b[1:]))
		require.Equal(t, m, got)
		require.Error(t, got.UnmarshalBinary(b))
		b[9] = 2
		require.ErrorContains(t, got.UnmarshalBinary(b[1:]), "are not a mark")
	}
	for _, m := range []route.Mark{{From: -1, To: 2}, {From: 2, To: -2}, {From: 1 << 31, To: 2}, {From: 2, To: 1 << 31}} {
		m.Count = 1
		_, err := m.AppendBinary(nil)
		require.ErrorContains(t, err, "no such ranks")
	}
	for _, m := range []route.Mark{{}, {Count: 1, By: -1}, {Count: 1<<62 + 1}, {Count: 1, By: 1 << 31}} {
		_, err := m.AppendBinary(nil)
		require.ErrorContains(t, err, "was not issued by a rank")
	}
	good, err := route.Mark{From: 1, To: 2, Count: 1, By: 1}.AppendBinary(nil)
	require.NoError(t, err)
	var m route.Mark
	require.NoError(t, m.UnmarshalBinary(good))
	for _, at := range []int{3, 7, 8, 16, 20} { // too high: both ends, Down, Count, By
		bad := slices.Clone(good)
		bad[at] = 0x80
		require.ErrorContains(t, m.UnmarshalBinary(bad), "are not a mark", at)
	}
	bad := slices.Clone(good)
	bad[9] = 0
	require.ErrorContains(t, m.UnmarshalBinary(bad), "are not a mark")
}

// Ranks route while others mark; in the end they have seen every mark.
func TestMarksFromManyGoroutines(t *testing.T) {
	const ranks = 12
	topology, links := dynamicOn(route.Hypercube, ranks)
	var marking, routing sync.WaitGroup
	done := make(chan struct{})
	for r := range ranks {
		marking.Go(func() {
			for i := range 60 {
				links.Mark(r, (r+1)%ranks, i%2 == 0)
				links.MarkRank(r, i%3 == 0)
			}
			links.Mark(r, (r+1)%ranks, false)
			links.MarkRank(r, r == 5)
		})
		routing.Go(func() {
			plan := route.NewPlan(topology, r)
			for open := true; open || plan.Stale(); {
				select {
				case <-done:
					open = false
				default:
				}
				_ = plan.Renew() // it fails at times, for want of a way
				_ = topology.Next(r, (r+1)%ranks)
			}
		})
	}
	marking.Wait()
	close(done)
	routing.Wait()
	all := links.Marks()
	require.Len(t, all, 1)
	require.Equal(t, "rank 5", all[0].String())
}
