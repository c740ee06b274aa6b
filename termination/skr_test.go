package termination_test

import (
	"flag"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/termination"
)

var seedFlag = flag.Uint64("seed", 0, "run the random world with this seed alone")

// world is a job made of counts alone: ranks that hold work, frames on their way, and one detector each. A stepper decides
// what happens next, so that every interleaving can be had.
type world struct {
	ranks    []*member
	frames   []frame            // on their way
	messages map[address][]byte // of the detectors
	sent     int                // messages of the detectors
}

type member struct {
	world    *world
	id       int
	detector termination.Detector
	counts   termination.Counts
	work     int // frames that the body has yet to send
	sequence uint64
	ended    bool
}

type frame struct{ to, children int } // children: frames that handling it sends

type address struct {
	from, to int
	seq      uint64
	tag      uint32
}

func newWorld(ranks int, start uint64, detector func(rank, ranks int) termination.Detector) *world {
	w := &world{messages: map[address][]byte{}}
	for id := range ranks {
		m := &member{world: w, id: id, detector: detector(id, ranks)}
		m.counts = termination.Counts{Created: start, Processed: start}
		m.detector.Begin()
		w.ranks = append(w.ranks, m)
	}
	return w
}

func (m *member) Open() uint64 { m.sequence++; return m.sequence }

func (m *member) Send(to int, seq uint64, tag uint32, value []byte) {
	m.world.sent++
	m.world.messages[address{m.id, to, seq, tag}] = append([]byte(nil), value...)
}

func (m *member) Take(from int, seq uint64, tag uint32) ([]byte, bool) {
	a := address{from, m.id, seq, tag}
	v, ok := m.world.messages[a]
	delete(m.world.messages, a)
	return v, ok
}

// send lets a rank's body send one frame.
func (w *world) send(rank, to, children int) {
	w.ranks[rank].work--
	w.ranks[rank].counts.Created++
	w.frames = append(w.frames, frame{to, children})
}

// handle lets a frame arrive.
func (w *world) handle(i int, next func() int) {
	f := w.frames[i]
	w.frames[i] = w.frames[len(w.frames)-1]
	w.frames = w.frames[:len(w.frames)-1]
	m := w.ranks[f.to]
	for range f.children {
		m.counts.Created++
		w.frames = append(w.frames, frame{next(), f.children - 1})
	}
	m.counts.Processed++
}

// step lets a rank's detector look, and fails when it says that all is over and it is not.
func (w *world) step(rank int) error {
	m := w.ranks[rank]
	if m.ended {
		return nil
	}
	if m.ended = m.detector.Step(m, m.work == 0, m.counts); m.ended && w.busy() {
		return fmt.Errorf("rank %d ended early: %d frames are on their way", rank, len(w.frames))
	}
	return nil
}

func (w *world) busy() bool {
	for _, m := range w.ranks {
		if m.work > 0 {
			return true
		}
	}
	return len(w.frames) > 0
}

func (w *world) over() bool {
	for _, m := range w.ranks {
		if !m.ended {
			return false
		}
	}
	return true
}

// play runs a random world to its end.
func play(seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	starts := []uint64{0, 1<<32 - 2, math.MaxUint64 - 2, math.MaxUint64 / 3}
	w := newWorld(1+rng.IntN(9), starts[rng.IntN(len(starts))], termination.SKR)
	n := len(w.ranks)
	for _, m := range w.ranks {
		m.work = rng.IntN(4)
	}
	eager := rng.IntN(10) // how often detectors look, against everything else
	for steps := 0; !w.over(); steps++ {
		if steps > 100_000 {
			return fmt.Errorf("seed %d: the epoch does not end", seed)
		}
		rank := rng.IntN(n)
		switch {
		case rng.IntN(10) < eager || !w.busy():
			if err := w.step(rank); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		case w.ranks[rank].work > 0:
			w.send(rank, rng.IntN(n), rng.IntN(4))
		case len(w.frames) > 0:
			w.handle(rng.IntN(len(w.frames)), func() int { return rng.IntN(n) })
		}
	}
	return nil
}

func TestRandomWorlds(t *testing.T) {
	if *seedFlag != 0 {
		require.NoError(t, play(*seedFlag))
		return
	}
	worlds := 20_000
	if testing.Short() {
		worlds = 1000
	}
	for seed := uint64(1); seed <= uint64(worlds); seed++ {
		require.NoError(t, play(seed), "run it alone with -seed")
	}
}

// Every interleaving of two ranks, one frame that causes another, and their detectors.
func TestAllInterleavingsOfASmallWorld(t *testing.T) {
	for ranks := 2; ranks <= 3; ranks++ {
		t.Run(fmt.Sprint(ranks, " ranks"), func(t *testing.T) {
			limit := map[int]int{2: 9, 3: 7}[ranks] // choices that are enumerated; after them ranks take turns
			total := 0
			var explore func(choices []int)
			explore = func(choices []int) {
				width, err := replay(ranks, choices, limit)
				require.NoError(t, err, "choices %v", choices)
				total++
				for len(choices) < limit {
					if len(choices) >= len(width) {
						return
					}
					for c := 1; c < width[len(choices)]; c++ {
						explore(append(append([]int(nil), choices...), c))
					}
					choices = append(append([]int(nil), choices...), 0)
				}
			}
			explore(nil)
			t.Logf("%d interleavings", total)
			require.Greater(t, total, 1000)
		})
	}
}

// replay runs a small world along choices, then in turns, and returns how many choices there were at each point.
func replay(ranks int, choices []int, limit int) (width []int, err error) {
	w := newWorld(ranks, math.MaxUint64, termination.SKR)
	w.ranks[0].work = 1
	for n := 0; !w.over(); n++ {
		if n > 1000 {
			return width, fmt.Errorf("the epoch does not end")
		}
		var actions []func() error
		for rank := range w.ranks {
			actions = append(actions, func() error { return w.step(rank) })
		}
		if w.ranks[0].work > 0 {
			actions = append(actions, func() error { w.send(0, 1, 1); return nil })
		}
		for i := range w.frames {
			actions = append(actions, func() error { w.handle(i, func() int { return 0 }); return nil })
		}
		choice := 0
		switch {
		case n < len(choices):
			choice = choices[n]
		case n >= limit:
			choice = n % len(actions)
		}
		if n < limit {
			width = append(width, len(actions))
		}
		if err := actions[choice](); err != nil {
			return width, err
		}
	}
	return width, nil
}

// Active Pebbles 3.6.1: at least two all-reductions, 2 log2 P steps, and for an epoch at rest no more.
func TestMessagesOfAnEmptyEpoch(t *testing.T) {
	for ranks := 1; ranks <= 64; ranks++ {
		w := newWorld(ranks, 0, termination.SKR)
		for !w.over() {
			for rank := range ranks {
				require.NoError(t, w.step(rank))
			}
		}
		require.EqualValues(t, 2, w.ranks[0].detector.Rounds())
		if ranks&(ranks-1) == 0 {
			require.Equal(t, 2*ranks*(bits.Len(uint(ranks))-1), w.sent)
		}
	}
}

// broken trusts a single round. The tests above must see that: a gate that can't fail is none.
type broken struct{ termination.Detector }

func (b broken) Step(n termination.Network, idle bool, c termination.Counts) bool {
	before := b.Rounds()
	return b.Detector.Step(n, idle, c) || b.Rounds() > before
}

func TestTheStepperCatchesABrokenDetector(t *testing.T) {
	caught := false
	for seed := uint64(1); seed < 2000 && !caught; seed++ {
		rng := rand.New(rand.NewPCG(seed, 2))
		w := newWorld(3, 0, func(rank, ranks int) termination.Detector { return broken{termination.SKR(rank, ranks)} })
		w.ranks[0].work = 2
		for steps := 0; steps < 1000 && !w.over() && !caught; steps++ {
			switch rank := rng.IntN(3); {
			case rng.IntN(2) == 0:
				caught = w.step(rank) != nil
			case w.ranks[rank].work > 0:
				w.send(rank, rng.IntN(3), 3)
			case len(w.frames) > 0:
				w.handle(rng.IntN(len(w.frames)), func() int { return rng.IntN(3) })
			}
		}
	}
	require.True(t, caught)
}
