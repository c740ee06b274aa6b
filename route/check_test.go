package route_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// promising is a ring that goes one way, and promises more than it has to. A test may break each promise.
type promising struct {
	ring
	slots  func(at int, dests, slots []uint32)
	stages int
	stage  func(from, to int) int
	hops   int
}

func (p promising) Slots(at int, dests, slots []uint32) { p.slots(at, dests, slots) }
func (p promising) Stages() int                         { return p.stages }
func (p promising) Stage(from, to int) int              { return p.stage(from, to) }
func (p promising) Hops() int                           { return p.hops }

// line goes from rank to rank, up and down, with a stage for each link of each direction: 6 ranks.
func line() promising {
	return promising{
		ring: ring{6,
			func(at, dest int) int {
				if dest > at {
					return at + 1
				}
				return at - 1
			},
			func(at int) (all []int) {
				if at > 0 {
					all = append(all, at-1)
				}
				if at < 5 {
					all = append(all, at+1)
				}
				return all
			}},
		slots: func(at int, dests, slots []uint32) {
			for i, dest := range dests {
				switch {
				case int(dest) == at:
					slots[i] = uint32(2 - b2i(at%5 == 0)) // the ends have one neighbour
				case int(dest) > at && at > 0:
					slots[i] = 1
				default:
					slots[i] = 0
				}
			}
		},
		stages: 5,
		stage: func(from, to int) int {
			if to > from {
				return from
			}
			return 5 - from
		},
		hops: 5,
	}
}

// claims makes a rank list other neighbours.
func (p *promising) claims(rank int, all ...int) {
	neighbors := p.neighbors
	p.neighbors = func(at int) []int {
		if at == rank {
			return all
		}
		return neighbors(at)
	}
}

// A topology of one rank has no routes, and may promise none. More ranks have some.
func TestOneRankHasNoHops(t *testing.T) {
	_, err := route.CheckFrom(hopless{route.Direct(1)}, 0)
	require.NoError(t, err)
	_, err = route.Check(hopless{route.Direct(1)})
	require.NoError(t, err)
	hops, ok := route.Hops(hopless{route.Direct(1)})
	require.Equal(t, []any{1, true}, []any{hops, ok}, "who counts with hops has one at least")
	_, err = route.CheckFrom(hopless{route.Direct(2)}, 0)
	require.ErrorContains(t, err, "Hops promises 0 hops")
}

type hopless struct{ route.Topology }

func (hopless) Hops() int { return 0 }

// Each fault of a topology has its own error, which both Check and CheckFrom return.
func TestCheckFindsFaults(t *testing.T) {
	shape, err := route.Check(goodRing(6))
	require.NoError(t, err)
	require.Equal(t, route.Shape{Ranks: 6, Diameter: 5, NeighborsMax: 1, MeanHops: 3, Links: 6}, shape)
	require.Equal(t, "6 ranks, 6 links, at most 1 neighbours; 3.00 hops in the mean, at most 5; no stages", shape.String())
	_, err = route.Check(star(9))
	require.NoError(t, err)
	shape, err = route.Check(line())
	require.NoError(t, err)
	require.Equal(t, route.Shape{Ranks: 6, Diameter: 5, NeighborsMax: 2, MeanHops: 7. / 3, Links: 10, Stages: 5}, shape)
	require.Equal(t, "6 ranks, 10 links, at most 2 neighbours; 2.33 hops in the mean, at most 5; stages: 5",
		shape.String())

	next, slots, stage := line().next, line().slots, line().stage
	for want, breakIt := range map[string]func(l *promising){
		"a pebble from rank 0 never arrives at rank 2: it is at rank 0 after 6 hops": func(l *promising) {
			l.next = func(at, dest int) int { return at ^ 1 }
			l.neighbors = func(at int) []int { return []int{at ^ 1} }
			l.slots = func(at int, dests, slots []uint32) {
				for i, dest := range dests {
					slots[i] = uint32(b2i(int(dest) == at))
				}
			}
			l.stages, l.stage = 9, func(int, int) int { return 0 }
		},
		"the next hop from rank 0 to rank 2 is 2, which is not a neighbour of rank 0": func(l *promising) {
			l.next = func(_, dest int) int { return dest }
		},
		"the next hop from rank 3 to rank 5 is -1, which is not a neighbour of rank 3": func(l *promising) {
			l.next = func(at, dest int) int {
				if at == 3 && dest == 5 {
					return -1
				}
				return next(at, dest)
			}
		},
		"rank 3 lists neighbour 2 twice": func(l *promising) {
			l.claims(3, 2, 4, 2)
		},
		"rank 2 is its own neighbour": func(l *promising) {
			l.claims(2, 1, 2, 3)
		},
		"rank 0 has neighbour 6, ranks are 0 to 5": func(l *promising) {
			l.neighbors = func(int) []int { return []int{6} }
		},
		"rank 4 has neighbour -1, ranks are 0 to 5": func(l *promising) {
			l.claims(4, -1)
		},
		"the next hop from rank 1 to rank 4 is 2, whose index among the neighbours is not 0": func(l *promising) {
			l.slots = func(at int, dests, out []uint32) {
				slots(at, dests, out)
				for i, dest := range dests {
					if at == 1 && dest == 4 {
						out[i] = 0
					}
				}
			}
		},
		"Slots tells 4294967295 at rank 0 for the rank itself, not 1": func(l *promising) {
			l.slots = func(at int, dests, out []uint32) {
				for i, dest := range dests {
					if at != int(dest) {
						slots(at, dests[i:i+1], out[i:])
					}
				}
			}
		},
		"the route from rank 0 to rank 2 takes link 1-2 of stage 0 after link 0-1 of stage 0: stages": func(l *promising) {
			l.stage = func(from, to int) int { return 0 }
		},
		"the route from rank 0 to rank 4 takes link 3-4 of stage 2 after link 2-3 of stage 2: stages": func(l *promising) {
			l.stage = func(from, to int) int {
				if from == 3 && to == 4 {
					return 2
				}
				return stage(from, to)
			}
		},
		"link 4-5 has stage 4, stages are 0 to 3": func(l *promising) { l.stages = 4 },
		"link 0-1 has stage -1, stages are 0 to 4": func(l *promising) {
			l.stage = func(from, to int) int { return stage(from, to) - 1 }
		},
		"the route from rank 0 to rank 5 has 5 hops, Hops promises at most 4": func(l *promising) { l.hops = 4 },
		"it has 0 stages":      func(l *promising) { l.stages = 0 },
		"Hops promises 0 hops": func(l *promising) { l.hops = 0 },
		"it connects 0 ranks":  func(l *promising) { l.ranks = 0 },
	} {
		l := line()
		breakIt(&l)
		_, err := route.Check(l)
		require.ErrorContains(t, err, `route: topology "ring": `+want)
		var each []error
		for at := range max(1, l.ranks) {
			_, err := route.CheckFrom(l, at)
			each = append(each, err)
		}
		require.ErrorContains(t, errors.Join(each...), want)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A topology that is no function is detected, too, for any second answer.
func TestCheckFindsWhatChanges(t *testing.T) {
	r, asked := goodRing(4), 0
	r.next = func(at, _ int) int {
		if asked++; asked == 5 {
			return at
		}
		return (at + 1) % 4
	}
	_, err := route.Check(r)
	require.ErrorContains(t, err, "it answers differently when asked again")
}

// The routes of all ranks together are those that Check sees.
func TestCheckFromIsAShare(t *testing.T) {
	for _, topology := range []route.Topology{route.Hypercube(13), route.MeshOf(2)(13), route.Ring(13), star(13)} {
		whole, err := route.Check(topology)
		require.NoError(t, err)
		sum := route.Shape{Ranks: 13, Stages: whole.Stages}
		for at := range 13 {
			s, err := route.CheckFrom(topology, at)
			require.NoError(t, err)
			require.Equal(t, whole.Stages, s.Stages)
			sum.Diameter, sum.NeighborsMax = max(sum.Diameter, s.Diameter), max(sum.NeighborsMax, s.NeighborsMax)
			sum.Links += s.Links
			sum.MeanHops += s.MeanHops / 13
		}
		require.InDelta(t, whole.MeanHops, sum.MeanHops, 1e-9)
		sum.MeanHops = whole.MeanHops
		require.Equal(t, whole, sum)
	}
}

// Many ranks are checked a block of destinations at a time: results cover all blocks, and the fault is the first of
// all.
func TestCheckInBlocks(t *testing.T) {
	const ranks = 1500
	shape, err := route.Check(route.Ring(ranks))
	require.NoError(t, err)
	mean := 750. / 2 * ranks / (ranks - 1)
	require.Equal(t, route.Shape{Ranks: ranks, Diameter: 750, NeighborsMax: 2, MeanHops: mean, Links: 2 * ranks}, shape)

	wrong := ring{ranks, nil, route.Direct(ranks).Neighbors}
	wrong.next = func(at, dest int) int {
		if at == 7 && dest == 1450 || at == 7 && dest == 1460 || at == 9 && dest == 3 {
			return -1
		}
		return dest
	}
	_, err = route.Check(wrong)
	require.ErrorContains(t, err, "the next hop from rank 7 to rank 1450 is -1")
}
