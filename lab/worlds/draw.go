package worlds

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// drawn draws numbers for a world.
type drawn struct{ *rand.Rand }

// Draw returns the world of a seed.
func Draw(seed uint64) World {
	d := drawn{rand.New(rand.NewPCG(seed, 0x776f726c64))}
	w := World{Seed: seed}
	d.machine(&w)
	d.runtime(&w)
	d.program(&w)
	d.faults(&w)
	d.detectors(&w)
	if d.chance(30) {
		w.Arrays, w.Addresses = one(d, 10, 50, 100), one(d, 0, 2, 3, 5, 101)
	}
	if w.moves() { // a fault that delays a key delays its pebbles: they are forwarded without bound
		w.Loss, w.Corrupt, w.Death, w.Freeze, w.Partition = 0, 0, 0, 0, 0
	}
	if d.chance(15) {
		d.saves(&w)
		w = w.repaired()
	}
	return w
}

// chance returns true with a probability in percent.
func (d drawn) chance(percent int) bool { return d.IntN(100) < percent }

// small returns a number from 0 to most, usually a small one.
func (d drawn) small(most int) int { return d.IntN(1 + d.IntN(most+1)) }

func one[T any](d drawn, all ...T) T { return all[d.IntN(len(all))] }

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (d drawn) machine(w *World) {
	w.Ranks = 1 + d.small(9)
	if d.chance(3) {
		w.Ranks = 1 + d.IntN(40)
	}
	w.Processes = 1
	if d.chance(70) {
		w.Processes = 1 + d.IntN(w.Ranks)
	}
	w.PerHost = 1 + d.IntN(3)
	w.Local = bit(d.chance(30))
	if d.chance(30) {
		w.Cores = 1 + d.IntN(3)
		w.Slice = one(d, 0, 10, 1000, 100_000)
	}
	if d.chance(30) {
		w.Call = one(d, 1, 100, 10_000)
	}
}

// topologies are the names to draw from.
var topologies = append(route.Names(), "direct", "hypercube", "hypercube")

// marked are the topologies that route around marks.
var marked = []string{"dynamic:direct", "dynamic:hypercube", "dynamic:mesh:2", "dynamic:ring", "dynamic:two-stage",
	"dynamic:hosts:mesh:2"}

func (d drawn) runtime(w *World) {
	w.Topology = one(d, topologies...)
	if d.chance(20) {
		w.Topology, w.Marks = one(d, marked...), one(d, 5, 30, 100)
	}
	w.Coalesce = one(d, 1, 2, 3, 7, 16, 64, 1024)
	w.Credits = one(d, 0, 1, 1, 2, 3, 8)
	w.Budget = one(d, 0, 0, 1, 400, 2000)
	w.Due = one(d, 0, 0, 1, 100, 10_000, 1_000_000)
	w.Period = one(d, 0, 0, 0, 1000, 100_000)
	if d.chance(30) {
		w.Tune = d.IntN(8)
	}
	if d.chance(50) {
		w.Cache = one(d, 1, 2, 16, 300)
	}
}

func (d drawn) program(w *World) {
	w.Targets = 1 + d.small(targetsMost-1)
	for range w.Targets {
		w.Kinds = w.Kinds*int(kinds) + d.IntN(int(kinds))
	}
	all := 1 << w.Targets
	if d.chance(40) {
		w.Coded = d.IntN(all)
	}
	w.Map = one(d, 0, d.IntN(len(maps)))
	if d.chance(25) {
		w.Moving, w.Moves = 1+d.IntN(all-1), one(d, 3, 20, 100)
	}
	if d.chance(30) {
		w.Wrap, w.Narrow = 1+d.small(100), d.IntN(2)
	}
	w.Keys = 1 + d.small(40)
	w.Hot = one(d, 0, 0, 30, 100)
	w.Epochs = 1 + d.small(3)
	w.Pebbles = d.small(40)
	w.Depth = 1 + d.small(4)
	w.Declared = bit(d.chance(50))
	w.Fan = one(d, 1, 1, 2, 2, 3)
	w.Flush = one(d, 0, 0, 5, 50)
	w.Batch = one(d, 0, 0, 1, 5, 100)
	if d.chance(30) {
		d.tasks(w)
	}
}

func (d drawn) faults(w *World) {
	if d.chance(40) {
		w.Delay = one(d, 5, 30, 100)
	}
	if w.Processes == 1 {
		return
	}
	if d.chance(20) {
		w.Double = one(d, 20, 300)
	}
	if !d.chance(25) {
		return
	}
	w.When = d.IntN(one(d, 1000, 20_000, 300_000))
	w.Long = d.IntN(2)
	switch d.IntN(5) {
	case 0:
		w.Loss = one(d, 5, 100)
	case 1:
		w.Corrupt = one(d, 5, 100)
	case 2:
		w.Death = 1 + d.IntN(w.Processes)
	case 3:
		w.Freeze = 1 + d.IntN(w.Processes)
	case 4:
		w.Partition = 1 + d.IntN(w.Processes-1)
	}
}

// detectors draws detectors that hold in the world, for the job and its epochs. Other tests cover the errors of the
// others.
func (d drawn) detectors(w *World) {
	names := slices.DeleteFunc(termination.Names(), func(name string) bool { return !w.holds(name) })
	w.Detector = one(d, names...)
	if d.chance(30) && w.Tune&1 == 0 { // tuned settings need the first epoch's detector
		ends := make([]string, 1+d.IntN(w.Epochs))
		for i := range ends {
			ends[i] = one(d, names...)
		}
		w.Ends = strings.Join(ends, ",")
	}
}

// holds reports whether a detector holds in this world.
func (w World) holds(detector string) bool {
	t, err := w.topology()
	if err != nil {
		return false
	}
	s := termination.Site{Ranks: w.Ranks, Hops: 1, Topology: t}
	if w.declares() {
		s.Depth = w.Depth
	}
	if w.moves() {
		s.Topology = nil // keys that move travel directly
	}
	s.Hops, _ = route.Hops(t)
	_, err = termination.Messages(detector, s)
	return err == nil
}
