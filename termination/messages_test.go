package termination_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// rest runs one epoch without pebbles, and returns the messages of the rank that sent most and of all.
func rest(t *testing.T, name string, make termination.Maker, site termination.Site) (most, all int, rounds uint64) {
	t.Helper()
	p := &plan{name: name, make: make, site: site, bodies: emptyBodies(site.Ranks)}
	if site.Topology != nil {
		p.topologies = []route.Topology{site.Topology}
	}
	w, err := newWorld(p)
	require.NoError(t, err)
	for rank := range w.ranks {
		w.enter(rank)
	}
	for turns := 0; !w.over(); turns++ {
		require.Less(t, turns, 10*site.Ranks*max(1, site.Depth)*max(1, site.Hops)+100, "%s at %+v hangs", name, site)
		for rank, m := range w.ranks {
			for i := range w.letters[rank] {
				w.deliver(rank, i)
			}
			if m.inside {
				w.step(rank, false)
			}
		}
		require.NoError(t, w.failure)
	}
	for _, m := range w.ranks {
		most, all, rounds = max(most, m.sent), all+m.sent, m.detector.Rounds()
	}
	return most, all, rounds
}

func emptyBodies(ranks int) [][][]*pebble {
	bodies := make([][][]*pebble, ranks)
	for r := range bodies {
		bodies[r] = [][]*pebble{nil}
	}
	return bodies
}

// The messages of detectors in an epoch at rest equal Messages, by formulas; judging worlds compares each rank's own.
func TestMessagesOfAnEpochAtRest(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 33} {
		log := bits.Len(uint(ranks - 1))
		for _, net := range topologies(ranks) {
			neighbors := 0
			for r := range ranks {
				neighbors = max(neighbors, len(net.Neighbors(r)))
			}
			for depth := 1; depth <= 2; depth++ {
				site := termination.Site{Ranks: ranks, Depth: depth, Hops: net.hops, Topology: net.Topology}
				for _, c := range []struct {
					name     string
					messages int
					rounds   int
				}{
					{"skr", 2 * log, 2},
					{"pcx", depth * net.hops * log, depth * net.hops},
					{"nbx", depth * net.hops * log, depth * net.hops},
					{"pcx-neighbors", depth * net.hops * neighbors, depth * net.hops},
					{"ordered", depth * neighbors, depth},
				} {
					make, err := termination.ByName(c.name)
					require.NoError(t, err)
					if _, err := make(site); err != nil {
						require.Equal(t, "ordered", c.name)
						continue
					}
					most, _, rounds := rest(t, c.name, make, site)
					said, err := termination.Messages(c.name, site)
					require.NoError(t, err)
					require.Equal(t, c.messages, said, "%s at %+v", c.name, site)
					require.Equal(t, said, most, "%s at %+v", c.name, site)
					require.EqualValues(t, c.rounds, rounds)
				}
			}
		}
	}
}

// Active Pebbles 3.6.1: detectors for depth one meet the bound of log P, and a general one needs twice that. On a
// hypercube the ordered one sends fewer messages at every size, from any rank and in total.
func TestOrderedSendsFewerMessagesThanSKR(t *testing.T) {
	step := 1
	if testing.Short() || raceDetector {
		step = 7
	}
	for ranks := 4; ranks <= 256; ranks += step {
		site := termination.Site{Ranks: ranks, Depth: 1, Hops: bits.Len(uint(ranks - 1)), Topology: route.Hypercube(ranks)}
		most, all, _ := rest(t, "ordered", termination.Ordered, site)
		mostOfSKR, allOfSKR, _ := rest(t, "skr", termination.SKR, site)
		log := bits.Len(uint(ranks - 1))
		require.LessOrEqual(t, most, log)
		require.Equal(t, 2*log, mostOfSKR)
		require.Less(t, most, mostOfSKR)
		require.Less(t, all, allOfSKR)
		if ranks&(ranks-1) == 0 {
			require.Equal(t, ranks*log, all)
			require.Equal(t, 2*ranks*log, allOfSKR)
		}
	}
}

// Auto selects the cheapest detector, the same on all ranks.
func TestAutoTakesTheFewestMessages(t *testing.T) {
	for ranks := 1; ranks <= 33; ranks++ {
		for _, net := range topologies(ranks) {
			for _, site := range []termination.Site{
				{Ranks: ranks},
				{Ranks: ranks, Topology: net.Topology, Hops: net.hops},
				{Ranks: ranks, Topology: net.Topology, Depth: 1},
				{Ranks: ranks, Topology: net.Topology, Depth: 1, Hops: net.hops},
				{Ranks: ranks, Topology: net.Topology, Depth: 2, Hops: net.hops},
				{Ranks: ranks, Topology: net.Topology, Depth: 3, Hops: net.hops},
				{Ranks: ranks, Depth: 1, Hops: net.hops},
			} {
				want, least := "", 1<<40
				for _, name := range []string{"nbx", "skr", "ordered", "pcx", "pcx-neighbors"} {
					if n, err := termination.Messages(name, site); err == nil && n < least {
						want, least = name, n
					}
				}
				said, err := termination.Messages("auto", site)
				require.NoError(t, err)
				require.Equal(t, least, said)
				for rank := range ranks {
					site.Rank = rank
					d, err := termination.Auto(site)
					require.NoError(t, err)
					require.Equal(t, want, d.Name(), "%+v", site)
				}
			}
		}
	}
	for _, c := range []struct {
		site termination.Site
		want string
	}{
		{termination.Site{Ranks: 64, Topology: route.Hypercube(64), Hops: 6}, "skr"},
		{termination.Site{Ranks: 64, Topology: route.Hypercube(64), Depth: 1, Hops: 6}, "ordered"},
		{termination.Site{Ranks: 64, Topology: route.Hypercube(64), Depth: 2, Hops: 6}, "skr"},
		{termination.Site{Ranks: 64, Topology: route.Direct(64), Depth: 1, Hops: 1}, "nbx"},
		{termination.Site{Ranks: 64, Depth: 1}, "skr"},
	} {
		d, err := termination.Auto(c.site)
		require.NoError(t, err)
		require.Equal(t, c.want, d.Name())
	}
}

// With buffers that wait for their stage, the pebbles of all ranks for one leave in a tree of P-1 frames, and with a
// reduction each frame holds one pebble (Active Pebbles 3.5).
func TestOrderedMakesAReductionTree(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		ranks := 1 + rng.IntN(20)
		nets := topologies(ranks)
		net := nets[rng.IntN(len(nets))]
		site := termination.Site{Ranks: ranks, Depth: 1, Hops: net.hops, Topology: net.Topology}
		if _, err := termination.Ordered(site); err != nil {
			continue
		}
		root := rng.IntN(ranks)
		bodies := emptyBodies(ranks)
		for r := range bodies {
			for range 1 + rng.IntN(4) {
				bodies[r][0] = append(bodies[r][0], to(root))
			}
		}
		p := &plan{make: termination.Ordered, site: site, topologies: []route.Topology{net.Topology}, bodies: bodies,
			merging: true}
		w, err := newWorld(p)
		require.NoError(t, err)
		for events := 0; !w.over(); events++ {
			require.Less(t, events, 1_000_000, "seed %d", seed)
			w.happen(rng, rng.IntN(ranks), 3, 3, true)
			require.NoError(t, w.failure, "seed %d", seed)
		}
		frames := 0
		for _, m := range w.ranks {
			frames += m.created
		}
		require.Equal(t, ranks-1, frames, "seed %d: %s of %d", seed, net.Name(), ranks)
	}
}

// Every detector runs epoch after epoch without allocating, once it has its memory.
func TestDetectorsKeepTheirMemory(t *testing.T) {
	const ranks = 6
	site := termination.Site{Ranks: ranks, Depth: 2, Hops: 3, Topology: route.Hypercube(ranks)}
	for _, name := range []string{"skr", "pcx", "nbx", "pcx-neighbors", "ordered"} {
		make, err := termination.ByName(name)
		require.NoError(t, err)
		o := newOffice(t, make, site)
		for range 2 * slotsAtOnce {
			o.epoch()
		}
		require.Zero(t, testing.AllocsPerRun(50, o.epoch), name)
	}
}

// office carries detectors' messages without allocating for each: it has a slot for each pair of ranks and number, with
// the count of numbers that can be in use at once.
type office struct {
	site      termination.Site
	detectors []termination.Detector
	ledgers   []*termination.Ledger
	opened    []uint64
	rank      int
	slots     map[[4]uint64][]byte
	full      map[[4]uint64]bool
	done      []bool
	counts    uint64
}

const slotsAtOnce = 32

func newOffice(t *testing.T, maker termination.Maker, site termination.Site) *office {
	o := &office{
		site: site, opened: make([]uint64, site.Ranks), done: make([]bool, site.Ranks),
		slots: map[[4]uint64][]byte{}, full: map[[4]uint64]bool{},
	}
	for rank := range site.Ranks {
		site.Rank = rank
		d, err := maker(site)
		require.NoError(t, err)
		o.detectors = append(o.detectors, d)
		o.ledgers = append(o.ledgers, termination.NewLedger())
	}
	return o
}

func (o *office) Open() uint64 { o.opened[o.rank]++; return o.opened[o.rank] }

func (o *office) Send(to int, seq uint64, tag uint32, value []byte) {
	key := [4]uint64{uint64(o.rank), uint64(to), seq % slotsAtOnce, uint64(tag)}
	if o.full[key] {
		panic(fmt.Sprintf("message %v was not taken", key))
	}
	o.slots[key], o.full[key] = append(o.slots[key][:0], value...), true
}

func (o *office) Take(from int, seq uint64, tag uint32) ([]byte, bool) {
	key := [4]uint64{uint64(from), uint64(o.rank), seq % slotsAtOnce, uint64(tag)}
	if !o.full[key] {
		return nil, false
	}
	o.full[key] = false
	return o.slots[key], true
}

// epoch runs an epoch; every rank has sent each of its neighbours a frame.
func (o *office) epoch() {
	for rank, d := range o.detectors {
		o.ledgers[rank].Clear()
		d.Begin()
		o.done[rank] = false
	}
	for rank := range o.ledgers {
		for bit := 1; bit < o.site.Ranks; bit <<= 1 {
			if to := rank ^ bit; to < o.site.Ranks {
				o.ledgers[to].Process(rank, o.ledgers[rank].Create(to))
				o.counts++
			}
		}
	}
	for left, turns := len(o.detectors), 0; left > 0; turns++ {
		if turns > 1000 {
			panic("the epoch does not end")
		}
		for rank, d := range o.detectors {
			o.rank = rank
			state := termination.State{Counts: termination.Counts{Created: o.counts, Processed: o.counts}, Idle: true,
				Back: true}
			state.Ledger = o.ledgers[rank]
			if !o.done[rank] && d.Step(o, state) {
				o.done[rank] = true
				left--
			}
		}
	}
}
