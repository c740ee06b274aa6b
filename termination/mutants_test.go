package termination_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// These detectors are wrong on purpose. The worlds must find the fault of each: a gate that can't fail is none.

// lied is a detector whose state is changed before it sees it.
type lied struct {
	termination.Detector
	lie func(*termination.State)
}

func (l lied) Step(n termination.Network, s termination.State) bool {
	l.lie(&s)
	return l.Detector.Step(n, s)
}

func (l lied) Copy() termination.Detector { return lied{l.Detector.(copier).Copy(), l.lie} }

// liedKeeper and liedStager have the interfaces of their detectors.
type liedKeeper struct{ lied }

func (liedKeeper) KeepsLedger()                 {}
func (l liedKeeper) Copy() termination.Detector { return liedKeeper{l.lied.Copy().(lied)} }

type liedStager struct{ liedKeeper }

func (l liedStager) Stage() int                 { return l.Detector.(termination.Stager).Stage() }
func (l liedStager) Copy() termination.Detector { return liedStager{l.liedKeeper.Copy().(liedKeeper)} }

// lieTo makes detectors with a changed state.
func lieTo(make termination.Maker, lie func(*termination.State)) termination.Maker {
	return func(s termination.Site) (termination.Detector, error) {
		d, err := make(s)
		if err != nil {
			return nil, err
		}
		l := lied{d, lie}
		if _, ok := d.(termination.Stager); ok {
			return liedStager{liedKeeper{l}}, nil
		}
		if _, ok := d.(termination.Keeper); ok {
			return liedKeeper{l}, nil
		}
		return l, nil
	}
}

func sayIdle(s *termination.State) { s.Idle = true }
func sayBack(s *termination.State) { s.Back = true }

// at makes detectors for a changed site.
func at(make termination.Maker, tell func(*termination.Site)) termination.Maker {
	return func(s termination.Site) (termination.Detector, error) {
		tell(&s)
		return make(s)
	}
}

func oneHopLess(s *termination.Site) { s.Hops-- }

func onePebbleLess(s *termination.Site) { s.Depth-- }

// looser is SKR with another test of the sums of two rounds.
type looser struct {
	machine   collective.Machine
	steps     []collective.Step
	running   bool
	last, now [2]uint64
	looks     uint64
	rounds    uint64
	enough    func(last, now [2]uint64, looks uint64) bool
}

func loosely(enough func(last, now [2]uint64, looks uint64) bool) termination.Maker {
	return func(s termination.Site) (termination.Detector, error) {
		return &looser{steps: collective.AllReduce(s.Rank, s.Ranks), enough: enough}, nil
	}
}

func (l *looser) Name() string   { return "skr" }
func (l *looser) Rounds() uint64 { return l.rounds }
func (l *looser) Begin()         { l.looks = 0 }

func (l *looser) Copy() termination.Detector {
	c := *l
	c.machine.Value = append([]byte(nil), l.machine.Value...)
	return &c
}

func (l *looser) Step(n termination.Network, s termination.State) bool {
	if !l.running {
		if !s.Idle {
			return false
		}
		value := binary.LittleEndian.AppendUint64(nil, s.Created)
		l.machine.Start(l.steps, n.Open(), binary.LittleEndian.AppendUint64(value, s.Processed), addNumbers)
		l.running = true
	}
	if !l.machine.Advance(n) {
		return false
	}
	l.running = false
	l.rounds++
	l.looks++
	value := l.machine.Value
	l.last, l.now = l.now, [2]uint64{binary.LittleEndian.Uint64(value), binary.LittleEndian.Uint64(value[8:])}
	return l.looks >= 2 && l.enough(l.last, l.now, l.looks)
}

// unphased is PCX in a naive form: it waits until at least as many frames of any phase have been processed as had been
// created for it.
type unphased struct {
	machine  collective.Machine
	steps    []collective.Step
	ranks    int
	rounds   int
	round    int
	at       int // working, adding, receiving
	expected uint64
}

func makeUnphased(s termination.Site) (termination.Detector, error) {
	_, err := termination.PCX(s)
	return &unphased{steps: collective.ReduceScatter(s.Rank, s.Ranks, 8), ranks: s.Ranks, rounds: s.Depth * s.Hops}, err
}

func (u *unphased) Name() string   { return "pcx" }
func (u *unphased) KeepsLedger()   {}
func (u *unphased) Rounds() uint64 { return 0 }
func (u *unphased) Begin()         { u.round = 0 }

func (u *unphased) Copy() termination.Detector {
	c := *u
	c.machine.Value = append([]byte(nil), u.machine.Value...)
	return &c
}

func (u *unphased) Step(n termination.Network, s termination.State) bool {
	for u.round < u.rounds {
		switch u.at {
		case 0:
			if !s.Idle {
				return false
			}
			var created []byte
			for i := range u.ranks {
				created = binary.LittleEndian.AppendUint64(created, s.Ledger.Close(collective.RankAt(i, u.ranks)))
			}
			u.machine.Start(u.steps, n.Open(), created, addNumbers)
			u.at = 1
		case 1:
			if !u.machine.Advance(n) {
				return false
			}
			u.expected = binary.LittleEndian.Uint64(u.machine.Value)
			u.at = 2
		case 2:
			if s.Ledger.ProcessedAll(1<<30)-u.expected > 1<<63 {
				return false
			}
			u.round++
			u.at = 0
		}
	}
	return s.Idle
}

func addNumbers(into, from []byte) {
	for i := 0; i < len(into); i += 8 {
		binary.LittleEndian.PutUint64(into[i:], binary.LittleEndian.Uint64(into[i:])+binary.LittleEndian.Uint64(from[i:]))
	}
}

// backwards reverses the order of the stages.
type backwards struct{ route.Staged }

func (b backwards) Stage(from, to int) int { return b.Stages() - 1 - b.Staged.Stage(from, to) }

func turnRound(t route.Topology) route.Topology {
	if s, ok := t.(route.Staged); ok {
		return backwards{s}
	}
	return t
}

// mutants returns mutants named after their detector and their fault.
func mutants() []choice {
	return []choice{
		{name: "skr: it watches the difference of counts alone", make: loosely(func(last, now [2]uint64, _ uint64) bool {
			return last[0] == last[1] && now[0] == now[1]
		})},
		{name: "skr: it watches the frames created alone", make: loosely(func(last, now [2]uint64, _ uint64) bool {
			return last[0] == now[0] && now[0] == now[1]
		})},
		{name: "skr: it compares no counts", make: loosely(func(last, now [2]uint64, _ uint64) bool { return last == now })},
		{name: "skr: it trusts one round", make: loosely(func(_, now [2]uint64, _ uint64) bool { return now[0] == now[1] })},
		{name: "skr: busy ranks take part", make: lieTo(termination.SKR, sayIdle)},
		{name: "pcx: without phases", make: makeUnphased},
		{name: "pcx: phases are lost on the way", make: termination.PCX, phaseless: true},
		{name: "pcx: busy ranks take part", make: lieTo(termination.PCX, sayIdle)},
		{name: "pcx: one hop less", make: at(termination.PCX, oneHopLess)},
		{name: "pcx: one pebble less", make: at(termination.PCX, onePebbleLess)},
		{name: "nbx: frames need not be back", make: lieTo(termination.NBX, sayBack)},
		{name: "nbx: busy ranks take part", make: lieTo(termination.NBX, sayIdle)},
		{name: "nbx: one hop less", make: at(termination.NBX, oneHopLess)},
		{name: "nbx: one pebble less", make: at(termination.NBX, onePebbleLess)},
		{name: "pcx-neighbors: phases are lost on the way", make: termination.Neighbors, phaseless: true},
		{name: "pcx-neighbors: busy ranks take part", make: lieTo(termination.Neighbors, sayIdle)},
		{name: "pcx-neighbors: one hop less", make: at(termination.Neighbors, oneHopLess)},
		{name: "pcx-neighbors: one pebble less", make: at(termination.Neighbors, onePebbleLess)},
		{name: "ordered: phases are lost on the way", make: termination.Ordered, phaseless: true},
		{name: "ordered: busy ranks take part", make: lieTo(termination.Ordered, sayIdle)},
		{name: "ordered: one pebble less", make: at(termination.Ordered, onePebbleLess)},
		{name: "ordered: stages in the wrong order", make: termination.Ordered, bend: turnRound},
	}
}

// rare are faults that few random worlds show.
var rare = map[string]bool{
	"skr: it watches the difference of counts alone": true,
	"skr: it watches the frames created alone":       true,
	"skr: it trusts one round":                       true,
	"pcx: without phases":                            true,
}

func TestWorldsCatchWrongDetectors(t *testing.T) {
	for _, c := range mutants() {
		c.free = true // their faults must show in their messages
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			small, random := caughtBySmallWorlds(c), caughtByRandomWorlds(c)
			t.Logf("small worlds: %v", small)
			t.Logf("random worlds: %v", random)
			require.Error(t, small, "it is wrong, and no small world shows it")
			require.True(t, rare[c.name] || random != nil, "it is wrong, and no random world shows it")
		})
	}
}

func caughtBySmallWorlds(c choice) error {
	for _, s := range smallWorlds() {
		p := s.plan(c)
		if _, err := c.make(p.site); err != nil {
			continue
		}
		if b, ok := p.site.Topology.(backwards); ok && b.Stages() == 1 {
			continue // both orders are the same
		}
		if _, err := enumerate(p, true, 2, 30_000); err != nil && !errors.Is(err, errTooMany) {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func caughtByRandomWorlds(c choice) error {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w, err := newWorld(randomPlan(rng, []choice{c}))
		if err == nil {
			err = w.run(rng)
		}
		if err != nil {
			return fmt.Errorf("world %d: %w", seed, err)
		}
	}
	return nil
}
