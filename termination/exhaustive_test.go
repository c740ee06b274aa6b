package termination_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// event is one possible next event in a world.
type event struct {
	kind    eventKind
	rank, i int
}

type eventKind uint8

const (
	entering eventKind = iota
	sending
	draining
	flushing
	handling
	delivering
	acknowledging
	stepping
)

// events returns all possible next events. In a strict world, ranks send waiting buffers only when they have nothing
// else to do, up to the detector's stage; in others at any time, as when buffers are full.
func (w *world) events(strict bool) (all []event) {
	for rank, m := range w.ranks {
		for i, l := range w.letters[rank] {
			if !l.arrived {
				all = append(all, event{delivering, rank, i})
			}
		}
		if w.acks[rank] > 0 {
			all = append(all, event{acknowledging, rank, 0})
		}
		if !m.inside {
			if m.epoch < len(w.plan.bodies[rank]) {
				all = append(all, event{entering, rank, 0})
			}
			continue
		}
		if len(m.work) > 0 {
			all = append(all, event{sending, rank, 0})
		}
		if len(m.queue) > 0 {
			all = append(all, event{draining, rank, 0})
		}
		for i, b := range m.buffers {
			if len(b.pebbles) > 0 && (!strict || m.quiet() && b.stage <= m.stage()) {
				all = append(all, event{flushing, rank, i})
			}
		}
		all = append(all, event{stepping, rank, 0})
	}
	for i, f := range w.frames {
		if w.ready(f) {
			all = append(all, event{handling, f.to, i})
		}
	}
	return all
}

// after returns the world after an event; this one stays unchanged. Only the rank of the event is copied.
func (w *world) after(e event) *world {
	next := *w
	next.ranks = slices.Clone(w.ranks)
	next.frames = slices.Clone(w.frames)
	next.open, next.acks = slices.Clone(w.open), slices.Clone(w.acks)
	next.letters = slices.Clone(w.letters)
	for rank := range next.letters {
		next.letters[rank] = slices.Clone(w.letters[rank])
	}
	m := w.ranks[e.rank].copy()
	next.ranks[e.rank] = m
	next.happens(e)
	m.note()
	return &next
}

// copier is a detector whose copy continues independently.
type copier interface{ Copy() termination.Detector }

func (m *member) copy() *member {
	c := *m
	c.detector = m.detector.(copier).Copy()
	c.buffers = slices.Clone(m.buffers)
	if m.ledger != nil {
		c.ledger = m.ledger.Copy()
	}
	return &c
}

func (w *world) happens(e event) {
	switch e.kind {
	case entering:
		w.enter(e.rank)
	case sending:
		w.send(e.rank)
	case draining:
		w.drain(e.rank)
	case flushing:
		w.flush(e.rank, e.i)
	case handling:
		w.handle(e.i)
	case delivering:
		w.deliver(e.rank, e.i)
	case acknowledging:
		w.ack(e.rank)
	case stepping:
		w.step(e.rank, false)
	}
}

// enumeration is the graph of all worlds that are reachable from one.
type enumeration struct {
	known  map[uint64]int32 // the number of a world, by its hash
	before [][]int32        // the worlds that lead to each by one event
	ends   []int32          // the worlds that are over, or not followed
	edges  int
	rounds uint64 // rounds per epoch of detectors without a bound
	limit  int    // of worlds
}

var errTooMany = errors.New("too many worlds to enumerate")

// enumerate visits every world that is reachable by any interleaving of events, once. None may have ended an epoch
// early, and from each the end must be reachable.
func enumerate(p *plan, strict bool, rounds uint64, limit int) (*enumeration, error) {
	first, err := newWorld(p)
	if err != nil {
		return nil, err
	}
	x := &enumeration{known: map[uint64]int32{}, rounds: rounds, limit: limit}
	for _, m := range first.ranks {
		m.note()
	}
	unvisited := []*world{first}
	x.number(first)
	for len(unvisited) > 0 {
		w := unvisited[len(unvisited)-1]
		unvisited = unvisited[:len(unvisited)-1]
		from := x.known[w.hash()]
		if w.over() {
			if w.close(); w.failure != nil {
				return x, w.failure
			}
			x.ends = append(x.ends, from)
			continue
		}
		if x.late(w) {
			x.ends = append(x.ends, from)
			continue
		}
		for _, e := range w.events(strict) {
			next := w.after(e)
			if next.failure != nil {
				return x, next.failure
			}
			to, fresh := x.number(next)
			if fresh {
				unvisited = append(unvisited, next)
			}
			x.before[to] = append(x.before[to], from)
			x.edges++
		}
		if len(x.known) > x.limit {
			return x, errTooMany
		}
	}
	return x, x.hangs()
}

func (x *enumeration) number(w *world) (n int32, fresh bool) {
	h := w.hash()
	n, ok := x.known[h]
	if !ok {
		n = int32(len(x.known))
		x.known[h] = n
		x.before = append(x.before, nil)
	}
	return n, !ok
}

// late reports whether a detector without a bound on rounds has reached the limit.
func (x *enumeration) late(w *world) bool {
	for _, m := range w.ranks {
		if traitsOf(m.detector.Name()).endless && m.inside && m.detector.Rounds()-m.before >= x.rounds {
			return true
		}
	}
	return false
}

// hangs returns an error if no end is reachable from some world.
func (x *enumeration) hangs() error {
	reached := make([]bool, len(x.known))
	unvisited := x.ends
	for _, n := range unvisited {
		reached[n] = true
	}
	for len(unvisited) > 0 {
		n := unvisited[len(unvisited)-1]
		unvisited = unvisited[:len(unvisited)-1]
		for _, b := range x.before[n] {
			if !reached[b] {
				reached[b] = true
				unvisited = append(unvisited, b)
			}
		}
	}
	for n, ok := range reached {
		if !ok {
			return fmt.Errorf("world %d of %d hangs: no event leads on to the end", n, len(x.known))
		}
	}
	return nil
}

// smallWorld is a plan whose interleavings are all enumerated. Bodies are written as chains of destinations.
type smallWorld struct {
	name     string
	topology route.Topology
	depth    int
	bodies   [][][]*pebble // by rank and epoch
}

var ids atomic.Int64

// to returns a pebble, with those that its handling sends.
func to(dest int, children ...*pebble) *pebble {
	return &pebble{id: int(ids.Add(1)), dest: dest, children: children}
}

func body(pebbles ...*pebble) []*pebble { return pebbles }

func (s smallWorld) plan(c choice) *plan {
	shape, err := route.Check(s.topology)
	if err != nil {
		panic(err)
	}
	topology := s.topology
	if c.bend != nil {
		topology = c.bend(topology)
	}
	p := &plan{name: c.name, make: c.make, topologies: []route.Topology{topology}, bodies: s.bodies}
	p.phaseless, p.free = c.phaseless, c.free
	p.site = termination.Site{Ranks: topology.Ranks(), Depth: s.depth, Hops: max(1, shape.Diameter), Topology: topology}
	p.slowAcks = strings.HasPrefix(c.name, "nbx") // only nbx looks at frames that came back
	return p
}

// smallWorlds have two to four ranks and a few pebbles.
func smallWorlds() []smallWorld {
	direct2, direct3, cube, none := route.Direct(2), route.Direct(3), route.Hypercube(4), body()
	return []smallWorld{
		{"2 ranks, one pebble each way", direct2, 1, [][][]*pebble{{body(to(1))}, {body(to(0))}}},
		{"2 ranks, several pebbles each way", direct2, 1, [][][]*pebble{{body(to(1), to(1), to(1))}, {body(to(0), to(0))}}},
		{"2 ranks, there and back", direct2, 2, [][][]*pebble{{body(to(1, to(0)))}, {body(to(0))}}},
		{"2 ranks, a chain of three", direct2, 3, [][][]*pebble{{body(to(1, to(0, to(1))))}, {body(to(0, to(1)))}}},
		{"2 ranks, handlers to their own rank", direct2, 2, [][][]*pebble{{body(to(1, to(1)), to(0, to(0)))}, {none}}},
		{"2 ranks, three epochs", direct2, 1, [][][]*pebble{{body(to(1)), none, body(to(1))},
			{none, body(to(0)), body(to(0))}}},
		{"3 ranks, one pebble each", direct3, 1, [][][]*pebble{{body(to(1))}, {body(to(2))}, {body(to(0))}}},
		{"3 ranks, a chain and a pebble", direct3, 2, [][][]*pebble{{body(to(1, to(2)))}, {none}, {body(to(1))}}},
		{"3 ranks, a fork", direct3, 2, [][][]*pebble{{body(to(1, to(2), to(0)))}, {none}, {none}}},
		{"3 ranks, two forks", direct3, 3, [][][]*pebble{{body(to(1, to(2), to(0, to(2), to(1))))}, {none}, {none}}},
		{"3 ranks of a tree, over two hops", route.Tree(3), 1, [][][]*pebble{{body(to(2))}, {body(to(2))}, {body(to(1))}}},
		{"3 ranks of a tree, two epochs", route.Tree(3), 1, [][][]*pebble{{none, none}, {body(to(2)), none},
			{none, body(to(1))}}},
		{"3 ranks of a one-way ring", oneWay(3), 1, [][][]*pebble{{none}, {body(to(0))}, {body(to(1))}}},
		{"3 ranks of a hypercube, a chain", route.Hypercube(3), 2, [][][]*pebble{{none}, {body(to(2, to(1)))}, {none}}},
		{"4 ranks of a hypercube, over two hops", cube, 1, [][][]*pebble{{none}, {body(to(2))}, {none}, {body(to(0))}}},
	}
}

// Every interleaving of the events of small worlds occurs: bodies send, buffers leave, frames, detectors' messages and
// acknowledgements arrive, and detectors look, at any time. Detectors without a bound on rounds are followed for three
// rounds an epoch. Kinds with too many worlds are followed up to the limit.
func TestAllInterleavingsOfSmallWorlds(t *testing.T) {
	limit := 6_000 // worlds of a kind; larger kinds are left to longer tests
	switch {
	case testing.Short() || raceDetector:
		limit = 1500
	case long:
		limit = 50_000
	}
	var worlds, kinds, left atomic.Int64
	var whole sync.Map // names of detectors with a kind of which all worlds were tried
	t.Run("all", func(t *testing.T) {
		for _, s := range smallWorlds() {
			for _, c := range detectors {
				for _, strict := range []bool{true, false} {
					p := s.plan(c)
					d, err := c.make(p.site)
					if err != nil || c.name == "auto" {
						continue // it does not hold here, or is one of the others
					}
					if _, ok := d.(termination.Stager); strict && !ok {
						continue // other detectors have no influence on buffers
					}
					t.Run(fmt.Sprint(s.name, "/", c.name, "/", strict), func(t *testing.T) {
						t.Parallel()
						x, err := enumerate(p, strict, 3, limit)
						if errors.Is(err, errTooMany) {
							left.Add(1)
							return
						}
						require.NoError(t, err)
						require.Greater(t, len(x.known), 50)
						t.Logf("%d worlds, %d events", len(x.known), x.edges)
						worlds.Add(int64(len(x.known)))
						kinds.Add(1)
						whole.Store(c.name, true)
					})
				}
			}
		}
	})
	t.Logf("%d worlds of %d kinds; %d kinds have more than %d", worlds.Load(), kinds.Load(), left.Load(), limit)
	require.Greater(t, worlds.Load(), int64(10*limit/4))
	for _, c := range detectors {
		_, ok := whole.Load(c.name)
		require.True(t, ok || c.name == "auto", "all kinds of %s have too many worlds: none was tried whole", c.name)
	}
}
