package pebble_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// eachTeam runs a program in teams of the ranks with equal remainders, over all transports.
func eachTeam(t *testing.T, f func(r, part appstest.Rank)) {
	for _, s := range []appstest.Shape{
		{Ranks: 4, Transport: "mem"}, {Ranks: 7, Procs: 3, Transport: "sim"}, {Ranks: 5, Procs: 2, Transport: "shm"},
		{Ranks: 6, Procs: 3, Transport: "tcp"},
	} {
		t.Run(s.Transport, func(t *testing.T) {
			require.NoError(t, s.Run(t, appstest.Checked(func(r appstest.Rank) {
				team := appstest.Must(r.Split(r.ID()%2, 0))
				f(r, appstest.Rank{Rank: team.Rank, Assertions: r.Assertions})
				r.NoError(team.Free())
			})))
		})
	}
}

// Pebbles of a team stay in it, and two teams run at a time.
func TestTeamEpochs(t *testing.T) {
	eachTeam(t, func(r, part appstest.Rank) {
		r.Equal(r.ID()/2, part.ID())
		sum, hops := 0, 0
		var tell *target.Target[int]
		tell = target.New(part.Rank, "tell", distribution.Ranks(part.Size()),
			target.Key(func(v int) uint64 { return uint64(v % part.Size()) }), target.Batch(func(vs []int) {
				for _, v := range vs {
					sum += v
					if hops++; v >= part.Size() {
						tell.Send(v - part.Size())
					}
				}
			}))
		const rounds = 100
		for range 3 {
			part.Do(func() { tell.Send(rounds*part.Size() + (part.ID()+1)%part.Size()) })
		}
		r.Equal(3*(rounds+1), hops)
		all := appstest.Reduced(part, sum, pebble.Sum)
		r.Positive(all)
		r.Len(appstest.Gathered(r, all), r.Size())
	})
}

// splitting is one way to split a job, with the members of the teams of each rank, in their order.
type splitting struct {
	name       string
	ranks      int
	color, key func(rank int) int
	want       [][]int
}

func same(int) int       { return 0 }
func own(rank int) int   { return rank }
func minus(rank int) int { return -rank }

func TestSplit(t *testing.T) {
	for _, c := range []splitting{
		{"all in one", 3, same, same, [][]int{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}},
		{"one rank", 1, same, same, [][]int{{0}}},
		{"one rank each", 3, own, same, [][]int{{0}, {1}, {2}}},
		{"keys reverse", 3, same, minus, [][]int{{2, 1, 0}, {2, 1, 0}, {2, 1, 0}}},
		{"ties keep the order", 4, same, func(rank int) int { return -(rank / 2) },
			[][]int{{2, 3, 0, 1}, {2, 3, 0, 1}, {2, 3, 0, 1}, {2, 3, 0, 1}}},
		{"unequal, far colors", 4, func(rank int) int { return min(rank, 1) << 40 }, same,
			[][]int{{0}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}},
		{"some in none", 4, func(rank int) int { return rank%2 - 1 }, minus, [][]int{nil, {3, 1}, nil, {3, 1}}},
		{"nobody", 2, func(int) int { return pebble.NoTeam }, same, [][]int{nil, nil}},
	} {
		for _, s := range []appstest.Shape{{Transport: "mem"}, {Transport: "sim", Procs: (c.ranks + 1) / 2}} {
			s.Ranks = c.ranks
			t.Run(c.name+" over "+s.Transport, func(t *testing.T) {
				require.NoError(t, s.Run(t, appstest.Checked(func(r appstest.Rank) {
					for range 3 { // a team's number is not reused at once
						c.check(r)
					}
				})))
			})
		}
	}
}

func (c splitting) check(r appstest.Rank) {
	team := appstest.Must(r.Split(c.color(r.ID()), c.key(r.ID())))
	want := c.want[r.ID()]
	r.Equal(want != nil, team.Member())
	if !team.Member() {
		return
	}
	var members []int
	for rank := range team.Size() {
		members = append(members, team.InJob(rank))
	}
	r.Equal(want, members)
	r.Equal(r.ID(), team.InJob(team.ID()))
	r.Equal(len(want), team.Config().Ranks)
	p := team.Place()
	r.True(p.Has(team.ID()))
	r.Equal(p.Process, p.ProcessOf(team.ID()))
	r.Equal(want, appstest.Must(pebble.AllGather(team.Rank, r.ID())))
	r.Equal(want[0], appstest.Must(pebble.Broadcast(team.Rank, 0, r.ID())))
	r.NoError(team.Free())
}

// Teams are split again, by ranks as numbered in the team, and are named after the team that was split.
func TestSplitTeam(t *testing.T) {
	s := appstest.Shape{Ranks: 8, Procs: 3, Transport: "sim"}
	require.NoError(t, s.Run(t, appstest.Checked(func(r appstest.Rank) {
		half := appstest.Must(r.Split(r.ID()%2, -r.ID(), []string{"even", "odd"}[r.ID()%2]))
		quarter := appstest.Must(half.Split(half.ID()/2, 0))
		r.Equal(2, quarter.Size())
		r.Equal(half.ID()%2, quarter.ID())
		r.Equal(r.ID(), quarter.InJob(quarter.ID()))
		r.Equal([]string{"even/0", "odd/0", "even/1", "odd/1"}[half.ID()/2*2+r.ID()%2], quarter.Name())
		low := 6 + r.ID()%2 - 4*(half.ID()/2) - 2 // of the two ranks
		r.Equal(2*low+2, appstest.Must(pebble.AllReduce(quarter.Rank, r.ID(), pebble.Sum)))
		r.NoError(quarter.Free())
		r.NoError(half.Free())
		r.Meet()
	})))
}

// An epoch of one team ends while the ranks of another have not begun any.
func TestTeamsAreIndependent(t *testing.T) {
	done := make(chan struct{})
	require.NoError(t, appstest.Mem(4).Run(t, appstest.Checked(func(r appstest.Rank) {
		team := appstest.Must(r.Split(r.ID()/2, 0))
		if r.ID()/2 == 1 {
			<-done
		}
		got := 0
		give := target.New(team.Rank, "give", distribution.Ranks(2), target.Key(func(to uint64) uint64 { return to }),
			target.Batch(func(vs []uint64) { got += len(vs) }))
		appstest.Epoch(team.Rank, func() { give.Send(uint64(1 - team.ID())) })
		r.Equal(1, got)
		r.NoError(team.Barrier())
		if r.ID() == 0 {
			close(done)
		}
		r.Meet()
		r.EqualValues(1, team.Counters().PebblesSent)
		r.Zero(r.Counters().PebblesSent)
		r.EqualValues(1, team.Counters().Epochs)
	})))
}

// Stages of a pipeline overlap: each hands its results to the next stage while it works on.
func TestTeamsOverlap(t *testing.T) {
	for _, s := range []appstest.Shape{{Ranks: 3, Transport: "mem"}, {Ranks: 6, Procs: 3, Transport: "sim"},
		{Ranks: 6, Procs: 2, Transport: "shm"}, {Ranks: 6, Procs: 3, Transport: "tcp"}} {
		t.Run(s.Transport, func(t *testing.T) {
			require.NoError(t, s.Run(t, appstest.Checked(pipeline)))
		})
	}
}

const batches = 20

// pipeline has three stages; each adds 1 to the numbers of the stage before.
func pipeline(r appstest.Rank) {
	wide := r.Size() / 3
	stage := r.ID() / wide
	links := make([]*pebble.Team, 2)
	var got, sums []int
	give := make([]*target.Target[int], 2)
	for l := range links {
		color := pebble.NoTeam
		if stage == l || stage == l+1 {
			color = l
		}
		links[l] = appstest.Must(r.Split(color, 0))
		if links[l].Member() {
			give[l] = target.New(links[l].Rank, "give", distribution.Ranks(2*wide),
				target.Key(func(v int) uint64 { return uint64(wide + v%wide) }),
				target.Batch(func(vs []int) { got = append(got, vs...) }))
		}
	}
	for b := range batches {
		got = got[:0]
		if stage > 0 {
			appstest.Epoch(links[stage-1].Rank, func() {})
		} else {
			got = append(got, 100*b+r.ID())
		}
		out := append([]int(nil), got...)
		if stage == 2 {
			sums = append(sums, out...)
			continue
		}
		appstest.Epoch(links[stage].Rank, func() {
			for _, v := range out {
				give[stage].Send(v + wide)
			}
		})
	}
	all := appstest.Reduced(r, len(sums), pebble.Sum)
	r.Equal(batches*wide, all)
	for i, v := range sums {
		r.Equal(100*i+r.ID()%wide+2*wide, v)
	}
}
