package tcp

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// members is the processes of a job that tell each other why it ends. Messages overtake each other.
type members struct {
	all    []*spread
	dead   map[int]bool
	silent bool // nobody knows of the dead ones
	random *rand.Rand
	flying []flight
	sent   int
	got    []int // messages, by process
}

// flight is a message on its way.
type flight struct {
	from, to int
	notice   notice
}

func newMembers(processes int, random *rand.Rand) *members {
	g := &members{random: random}
	for me := range processes {
		s := &spread{process: me, processes: processes}
		s.open = func(process int) bool { return near(me, process) && (g.silent || !g.dead[process]) }
		s.gone = func(process int) bool { return near(me, process) && !g.silent && g.dead[process] }
		s.send = func(next int, n *notice) {
			if !g.dead[next] {
				g.sent++
				g.flying = append(g.flying, flight{me, next, *n})
			}
		}
		g.all = append(g.all, s)
	}
	return g
}

// anew begins a job of the same processes, of which some are dead. Where they are silent, nobody knows it.
func (g *members) anew(silent bool, dead ...int) {
	g.silent, g.dead, g.sent, g.got = silent, make(map[int]bool), 0, make([]int, len(g.all))
	for _, process := range dead {
		g.dead[process] = true
	}
	for _, s := range g.all {
		s.told = false
	}
}

// begin has a process lose another one.
func (g *members) begin(process, lost int) {
	g.all[process].tell(notice{origin: process, reason: "it is lost", lost: lost})
}

// run delivers messages until there are none.
func (g *members) run() {
	for len(g.flying) > 0 {
		i := g.random.IntN(len(g.flying))
		f := g.flying[i]
		g.flying[i] = g.flying[len(g.flying)-1]
		g.flying = g.flying[:len(g.flying)-1]
		g.got[f.to]++
		g.all[f.to].heard(f.notice, f.from)
	}
}

// untold are the living processes that have not been told.
func (g *members) untold() (all []int) {
	for process, s := range g.all {
		if !g.dead[process] && !s.has() {
			all = append(all, process)
		}
	}
	return all
}

// manyProcesses is a power of two, for which all ways are there.
const manyProcesses = 1024

// Without a death each process but the first one is told once, whichever begins.
func TestNoticeIsTold(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for _, processes := range []int{1, 2, 3, 7, 100, 1000, manyProcesses} {
		g := newMembers(processes, random)
		for _, first := range []int{0, processes / 3, processes - 1} {
			g.anew(false)
			g.begin(first, nobody)
			g.run()
			require.Empty(t, g.untold())
			require.Equal(t, processes-1, g.sent, "of %d from %d", processes, first)
		}
	}
}

// When a process dies, of any degree in the tree, and one neighbour in the tree tells it, each process is told, once.
// Only the neighbour by way of which one is reached that is adopted may get a further message: its own.
func TestNoticeOfDeath(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	g := newMembers(manyProcesses, random)
	for dead := 0; dead < manyProcesses; dead += 1 + random.IntN(3) {
		all := treeNeighbours(dead, manyProcesses)
		first := all[random.IntN(len(all))]
		g.anew(dead%3 == 0, dead)
		g.begin(first, dead)
		g.run()
		require.Empty(t, g.untold(), "%d has died, %d tells it", dead, first)
		further := bits.TrailingZeros(uint(dead | manyProcesses)) // children of the dead one
		if first > dead {
			further = bits.TrailingZeros(uint(first - dead)) // those below this one among them
		}
		require.Equal(t, manyProcesses-2+further, g.sent, "%d has died, %d tells it", dead, first)
		require.LessOrEqual(t, slices.Max(g.got), 2)
	}
}

// All neighbours of a dead process notice its death at the same time.
func TestNoticesThatCross(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	g := newMembers(manyProcesses, random)
	for round := range 100 {
		dead := min(round, 1) * random.IntN(manyProcesses) // the root first
		g.anew(false, dead)
		for _, first := range neighbours(dead, manyProcesses) {
			g.begin(first, dead)
		}
		g.run()
		require.Empty(t, g.untold())
		degree := len(treeNeighbours(dead, manyProcesses))
		require.LessOrEqual(t, g.sent, 2*manyProcesses+2*degree*degree)
	}
}

// When two processes die, whose neighbours know it, and one of them tells of one death, each process is told.
func TestNoticeOfTwoDeaths(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	g := newMembers(manyProcesses, random)
	two := func(one, other int) {
		alive := func(process int) bool { return process != other }
		all := neighbours(one, manyProcesses)
		first := all[slices.IndexFunc(all, alive)]
		g.anew(false, one, other)
		g.begin(first, one)
		g.run()
		require.Empty(t, g.untold(), "%d and %d have died", one, other)
		require.LessOrEqual(t, g.sent, manyProcesses+100)
		require.LessOrEqual(t, slices.Max(g.got), 10)
	}
	for child := 1 + random.IntN(4); child < manyProcesses; child += 4 {
		pair := []int{child, child & (child - 1)}
		two(pair[child/4%2], pair[1-child/4%2])
	}
	for range 100 {
		one := random.IntN(manyProcesses)
		two(one, (one+1+random.IntN(manyProcesses-1))%manyProcesses)
	}
}

// Jobs of any size: whatever two have died, all are told, if need be when the other neighbours of the two notice.
func TestNoticesInJobsOfAnySize(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for processes := 2; processes <= 40; processes++ {
		g := newMembers(processes, random)
		for one := range processes {
			for other := range processes {
				g.anew(false, one, other)
				for _, dead := range []int{one, other} {
					for _, first := range neighbours(dead, processes) {
						if !g.dead[first] {
							g.begin(first, dead)
							g.run()
						}
					}
				}
				require.Empty(t, g.untold(), "%d and %d of %d have died", one, other, processes)
			}
		}
	}
}

// A process that dies while notices are on their way is replaced when that is noticed.
func TestNoticeOfLateDeath(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for range 300 {
		dead := random.IntN(64)
		g := newMembers(64, random)
		g.anew(true, dead)
		g.begin((dead+1+random.IntN(63))%64, nobody)
		g.run()
		for _, other := range treeNeighbours(dead, 64) {
			s := g.all[other]
			s.open = func(process int) bool { return near(other, process) && process != dead }
			s.gone = func(process int) bool { return process == dead }
			s.lose(dead)
		}
		g.run()
		require.Empty(t, g.untold(), "%d has died", dead)
	}
}
