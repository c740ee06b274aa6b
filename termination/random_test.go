package termination_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

var (
	seedFlag   = flag.Uint64("seed", 0, "run the random world with this seed alone")
	worldsFlag = flag.Uint64("worlds", 4_000, "how many random worlds to run")
)

// oneWay is a ring whose links lead one way: a rank receives from other ranks than it sends to.
type oneWay int

func (o oneWay) Name() string           { return "one-way" }
func (o oneWay) Ranks() int             { return int(o) }
func (o oneWay) Next(at, _ int) int     { return (at + 1) % int(o) }
func (o oneWay) Neighbors(at int) []int { return []int{(at + 1) % int(o)}[:min(1, int(o)-1)] }

// network is a topology for tests.
type network struct {
	route.Topology
	hops int
}

var networks sync.Map // by name and ranks

// topologies returns those of package route that support the number of ranks, and the one-way ring.
func topologies(ranks int) []network {
	if known, ok := networks.Load(ranks); ok {
		return known.([]network)
	}
	var all []network
	for _, name := range route.Names() {
		c, err := route.ByName(name)
		if err != nil {
			panic(err)
		}
		if t := try(c, ranks); t != nil {
			all = append(all, network{Topology: t})
		}
	}
	all = append(all, network{Topology: oneWay(ranks)})
	for i := range all {
		shape, err := route.Check(all[i])
		if err != nil {
			panic(err)
		}
		all[i].hops = max(1, shape.Diameter)
	}
	networks.Store(ranks, all)
	return all
}

// try makes a topology; nil if it does not support the number of ranks.
func try(c route.Constructor, ranks int) (t route.Topology) {
	defer func() { _ = recover() }()
	return c(ranks)
}

// choice is a detector, right or wrong, to run worlds with.
type choice struct {
	name      string
	make      termination.Maker
	phaseless bool                                  // the runtime loses phases
	bend      func(t route.Topology) route.Topology // nil leaves topologies as they are
	free      bool                                  // messages are not compared with formulas
}

// detectors are the correct ones: worlds must find no fault in them.
var detectors = func() []choice {
	all := []choice{{name: "central", make: central}}
	for _, name := range termination.Names() {
		make, _ := termination.ByName(name)
		all = append(all, choice{name: name, make: make})
	}
	return all
}()

// randomPlan draws a job: ranks, topology, detector that holds there, and bodies.
func randomPlan(rng *rand.Rand, choices []choice) *plan {
	starts := []uint64{0, 1<<32 - 2, math.MaxUint64 - 2, math.MaxUint64 / 3}
	p := &plan{start: starts[rng.IntN(len(starts))], slowAcks: rng.IntN(2) == 0}
	for {
		p.draw(rng, choices[rng.IntN(len(choices))])
		if _, err := p.make(p.site); err == nil {
			break // it holds here
		}
	}
	ranks := p.site.Ranks
	epochs := 1 + rng.IntN(3)
	if ranks > 9 {
		epochs = 1
	}
	b := budget{rng: rng, plan: p}
	for range ranks {
		var bodies [][]*pebble
		for range epochs {
			b.left = rng.IntN(8)
			bodies = append(bodies, b.pebbles(rng.IntN(4), p.site.Depth))
		}
		p.bodies = append(p.bodies, bodies)
	}
	return p
}

// draw draws a site for a detector.
func (p *plan) draw(rng *rand.Rand, c choice) {
	ranks := 1 + rng.IntN(9)
	switch rng.IntN(200) {
	case 0:
		ranks = 10 + rng.IntN(31)
	case 1, 2, 3, 4:
		ranks = 10 + rng.IntN(7)
	}
	p.name, p.make, p.phaseless, p.free = c.name, c.make, c.phaseless, c.free
	nets := topologies(ranks)
	net := nets[rng.IntN(len(nets))]
	t := net.Topology
	if c.bend != nil {
		t = c.bend(t)
	}
	p.topologies = []route.Topology{t}
	p.site = termination.Site{Ranks: ranks, Depth: 1 + rng.IntN(3), Hops: net.hops, Topology: t}
	if rng.IntN(6) == 0 {
		other := nets[rng.IntN(len(nets))]
		p.topologies = append(p.topologies, other.Topology)
		p.site.Topology, p.site.Hops = nil, max(net.hops, other.hops)
	}
}

// budget draws at most the given number of pebbles.
type budget struct {
	rng  *rand.Rand
	plan *plan
	left int
	ids  int
}

func (b *budget) pebbles(n, depth int) (all []*pebble) {
	for range n {
		if depth == 0 || b.left == 0 {
			break
		}
		b.left--
		b.ids++
		p := &pebble{id: b.ids, dest: b.rng.IntN(b.plan.site.Ranks), via: b.rng.IntN(len(b.plan.topologies))}
		p.children = b.pebbles(b.rng.IntN(4), depth-1)
		all = append(all, p)
	}
	return all
}

// run runs a world to its end by random events. Strict ranks send waiting buffers only when they have nothing else to
// do, up to the detector's stage.
func (w *world) run(rng *rand.Rand) error {
	n := len(w.ranks)
	eager := 1 + rng.IntN(6)    // frequency of detectors' looks, against all other events
	hesitant := rng.IntN(3) * 2 // times in ten that an idle rank does not report it
	strict := rng.IntN(2) == 0
	slow := -1 // a rank with few events for a while
	if rng.IntN(3) == 0 {
		slow = rng.IntN(n)
	}
	for events := 0; !w.over(); events++ {
		if events > 4000*n*(1+w.plan.site.Depth*max(1, w.plan.site.Hops)) {
			return fmt.Errorf("an epoch does not end")
		}
		rank := rng.IntN(n)
		if rank == slow && events < 300*n && rng.IntN(16) > 0 {
			continue
		}
		w.happen(rng, rank, eager, hesitant, strict)
		if w.failure != nil {
			return w.failure
		}
	}
	w.close()
	return w.failure
}

// happen performs a random event at a rank, if one of the drawn kind is possible.
func (w *world) happen(rng *rand.Rand, rank, eager, hesitant int, strict bool) {
	m := w.ranks[rank]
	if !m.inside {
		if m.epoch < len(w.plan.bodies[rank]) && rng.IntN(4) == 0 {
			w.enter(rank)
		}
		return
	}
	switch kind := rng.IntN(5 + eager); {
	case kind >= 5:
		w.step(rank, hesitant > 0 && rng.IntN(10) < hesitant)
	case kind == 0 && len(m.work) > 0:
		w.send(rank)
	case kind == 0 && len(m.queue) > 0:
		w.drain(rank)
	case kind == 1 && len(m.buffers) > 0:
		i := rng.IntN(len(m.buffers))
		free := m.quiet() && m.buffers[i].stage <= m.stage() || !strict && rng.IntN(4) == 0
		if free && len(m.buffers[i].pebbles) > 0 {
			w.flush(rank, i)
		}
	case kind == 2 && len(w.frames) > 0:
		if i := rng.IntN(len(w.frames)); w.ready(w.frames[i]) {
			w.handle(i)
		}
	case kind == 3 && w.acks[rank] > 0:
		w.ack(rank)
	case len(w.letters[rank]) > 0:
		w.deliver(rank, rng.IntN(len(w.letters[rank])))
		for i := 0; i < len(w.letters[rank]) && rng.IntN(4) > 0; i++ {
			w.deliver(rank, i)
		}
	}
}

// play runs the random world of a seed.
func play(seed uint64, choices []choice) (*world, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	w, err := newWorld(randomPlan(rng, choices))
	if err == nil {
		err = w.run(rng)
	}
	if err != nil {
		return w, fmt.Errorf("run it alone with -seed %d: %s at %+v: %w", seed, w.plan.name, w.plan.site, err)
	}
	return w, nil
}

// Random worlds cover all detectors and topologies. None ends an epoch early, and none hangs.
func TestRandomWorlds(t *testing.T) {
	if *seedFlag != 0 {
		_, err := play(*seedFlag, detectors)
		require.NoError(t, err)
		return
	}
	worlds := *worldsFlag
	var next atomic.Uint64
	var workers sync.WaitGroup
	failures := make(chan error, runtime.GOMAXPROCS(0))
	ran := make([]map[string]int, runtime.GOMAXPROCS(0))
	for i := range ran {
		ran[i] = map[string]int{}
		workers.Go(func() {
			for seed := next.Add(1); seed <= worlds; seed = next.Add(1) {
				w, err := play(seed, detectors)
				if err != nil {
					failures <- err
					return
				}
				ran[i][w.ranks[0].detector.Name()]++
			}
		})
	}
	workers.Wait()
	close(failures)
	require.NoError(t, <-failures)
	total := map[string]int{}
	for _, counts := range ran {
		for name, n := range counts {
			total[name] += n
		}
	}
	t.Log(total)
	for _, c := range detectors {
		if c.name != "auto" {
			require.Greater(t, total[c.name], int(worlds)/50, "worlds of %s", c.name)
		}
	}
}
