package worlds

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
)

// Elements of two arrays are written by turns: an epoch writes one of them, in runs that have one writer each or none,
// and reads the other, which nobody writes then. So whatever is read is known.

// runLength is how many elements one rank writes next to each other.
const runLength = 4

// runs is how many of them there are.
func (w *World) runs() int { return (w.Cells + runLength - 1) / runLength }

func (w *World) run(number int) (lo, hi int) {
	return runLength * number, min(runLength*(number+1), w.Cells)
}

// writer is the rank that writes a run in an epoch; none where it is one too many.
func (w *World) writer(run, epoch int) int {
	return int(mix(mix(w.Seed, uint64(epoch)), uint64(40+run)) % uint64(w.Ranks+1))
}

// raw is the number that an element is made of when an epoch writes it; it is not 0.
func (w *World) raw(i, epoch int) uint64 {
	return mix(mix(w.Seed, uint64(50_000+epoch)), uint64(i)) | 1
}

// cellular is the arrays as the program knows them, whatever their elements are.
type cellular interface {
	allocate(seed uint64)
	free() error
	keepStale()
	write(epoch int) error
	read(number uint64, epoch int) error
	compare(epoch int, want [2][]uint64) error
}

// openCells takes the type of elements that the world has.
func (s *stores) openCells() {
	if s.program.Cells == 0 {
		return
	}
	switch s.program.Element {
	case 0:
		s.cells = &cells[uint64]{stores: s, of: func(raw uint64) uint64 { return raw }}
	case 1:
		s.cells = &cells[uint32]{stores: s, of: func(raw uint64) uint32 { return uint32(raw) }}
	case 2:
		s.cells = &cells[[3]uint64]{stores: s, of: func(raw uint64) [3]uint64 {
			return [3]uint64{raw, 2 * raw, 3 * raw}
		}}
	default: // longer than a question
		s.cells = &cells[[10]uint64]{stores: s, of: func(raw uint64) [10]uint64 {
			return [10]uint64{0: raw, 5: 5 * raw, 9: 9 * raw}
		}}
	}
}

// elementKinds is how many types of elements there are.
const elementKinds = 4

type cells[T comparable] struct {
	*stores
	of    func(raw uint64) T
	sides [2]*memory.Array[T]
	known [2][]uint64 // numbers that elements are made of, as far as this rank may read
}

func (c *cells[T]) allocate(seed uint64) {
	n := c.program.Cells
	for i := range c.sides {
		c.known[i] = make([]uint64, n)
		d := c.program.spread(n, mix(seed, uint64(30+i)))
		c.sides[i] = memory.NewArray[T](c.space, fmt.Sprint("cells ", i), d)
	}
}

func (c *cells[T]) free() error {
	if err := c.sides[0].Free(); err != nil {
		return err
	}
	return c.sides[1].Free()
}

// keepStale notes all calls, on arrays that are freed by then.
func (c *cells[T]) keepStale() {
	a, ref := c.sides[0], c.sides[0].Ref(0)
	one, index := make([]T, 1), []uint64{0}
	c.withdrawn = append(c.withdrawn, withdrawn{"Local", func() bool { return len(a.Local()) == 0 }})
	c.stale = append(c.stale, []stale{
		{"Get", func() { a.Get(0) }},
		{"Put", func() { a.Put(0, one[0]) }},
		{"GetStart", func() { a.GetStart(0, &one[0]) }},
		{"PutStart", func() { a.PutStart(0, &one[0]) }},
		{"GetRange", func() { a.GetRange(0, one) }},
		{"PutRange", func() { a.PutRange(0, one) }},
		{"Gather", func() { a.Gather(one, index) }},
		{"GatherStart", func() { a.GatherStart(one, index) }},
		{"Scatter", func() { a.Scatter(index, one) }},
		{"View", func() { a.View(0, 1, memory.ReadWrite) }},
		{"Ref", func() { a.Ref(0) }},
		{"Get of a reference", func() { memory.Get(c.space, ref) }},
		{"PutRange of a reference", func() { memory.PutRange(c.space, ref, one) }},
		{"Resolve", func() { memory.Resolve(c.space, ref) }},
	}...)
}

// elements are those of a side from lo on, as they must be.
func (c *cells[T]) elements(known []uint64, lo, hi int) []T {
	all := make([]T, 0, hi-lo)
	for _, raw := range known[lo:hi] {
		all = append(all, c.of(raw))
	}
	return all
}

// write writes this rank's runs, and reads some of them again.
func (c *cells[T]) write(epoch int) error {
	w, a, known := c.program.World, c.sides[epoch%2], c.known[epoch%2]
	for run := range w.runs() {
		writer := w.writer(run, epoch)
		if writer == w.Ranks {
			continue
		}
		lo, hi := w.run(run)
		before := c.elements(known, lo, hi)
		for i := lo; i < hi; i++ {
			known[i] = w.raw(i, epoch)
		}
		if writer != c.program.rank.ID() {
			continue
		}
		number := mix(w.Seed, uint64(1000*epoch+run))
		done, err := c.put(number, a, uint64(lo), c.elements(known, lo, hi), before)
		if err != nil {
			return fmt.Errorf("in epoch %d, %w", epoch, err)
		}
		if done && mix(number, 31)%2 == 0 {
			if err := c.get(mix(number, 32), a, known, lo, hi); err != nil {
				return fmt.Errorf("in epoch %d, after it has written, %w", epoch, err)
			}
		}
	}
	return nil
}

// put writes elements by one of all calls, and tells whether it has waited until that was done.
func (c *cells[T]) put(number uint64, a *memory.Array[T], lo uint64, all, before []T) (done bool, err error) {
	switch mix(number, 33) % 9 {
	case 0:
		for i, v := range all {
			a.Put(lo+uint64(i), v)
		}
	case 1:
		a.PutRange(lo, all)
	case 2:
		indices := make([]uint64, len(all))
		for i := range indices {
			indices[i] = lo + uint64(i)
		}
		a.Scatter(indices, all)
	case 3: // the end of the epoch waits
		for i := range all {
			a.PutStart(lo+uint64(i), &all[i])
		}
		return false, nil
	case 4:
		waitAll(all, func(i int) memory.Pending { return a.PutStart(lo+uint64(i), &all[i]) })
	case 5:
		v := a.View(lo, lo+uint64(len(all)), memory.WriteOnly)
		copy(v.Elements(), all)
		v.Release()
	case 6:
		v := a.View(lo, lo+uint64(len(all)), memory.ReadWrite)
		if err := c.same(lo, v.Elements(), before); err != nil {
			return false, err
		}
		copy(v.Elements(), all)
		v.Release()
	case 7:
		memory.PutRange(c.space, a.Ref(lo), all)
	default:
		for i := range all {
			memory.Put(c.space, a.Ref(lo).Plus(uint64(i)), all[i])
		}
	}
	return true, nil
}

// read reads some elements of the side that nobody writes in this epoch.
func (c *cells[T]) read(number uint64, epoch int) error {
	n := c.program.Cells
	lo := int(mix(number, 34) % uint64(n))
	hi := lo + 1 + int(mix(number, 35)%uint64(min(n-lo, 3*runLength)))
	if err := c.get(number, c.sides[(epoch+1)%2], c.known[(epoch+1)%2], lo, hi); err != nil {
		return fmt.Errorf("in epoch %d, %w", epoch, err)
	}
	return nil
}

// get reads elements by one of all calls, and compares them.
func (c *cells[T]) get(number uint64, a *memory.Array[T], known []uint64, lo, hi int) error {
	at, all := uint64(lo), make([]T, hi-lo)
	want := c.elements(known, lo, hi)
	switch mix(number, 36) % 8 {
	case 0:
		for i := range all {
			all[i] = a.Get(at + uint64(i))
		}
	case 1:
		a.GetRange(at, all)
	case 2, 3:
		indices := make([]uint64, len(all))
		for i := range indices {
			j := int(mix(number, uint64(2000+i)) % uint64(len(all)))
			indices[i], want[i] = at+uint64(j), c.of(known[lo+j])
		}
		if mix(number, 36)%8 == 2 {
			a.Gather(all, indices)
		} else {
			a.GatherStart(all, indices).Wait()
		}
	case 4:
		waitAll(all, func(i int) memory.Pending { return a.GetStart(at+uint64(i), &all[i]) })
	case 5:
		v := a.View(at, at+uint64(len(all)), memory.ReadOnly)
		copy(all, v.Elements())
		v.Release()
	case 6:
		memory.GetRange(c.space, a.Ref(at), all)
	default:
		for i := range all {
			all[i] = memory.Get(c.space, a.Ref(at).Plus(uint64(i)))
		}
	}
	return c.same(at, all, want)
}

// waitAll begins an access for each element, and waits for all.
func waitAll[T any](all []T, begin func(i int) memory.Pending) {
	var open []memory.Pending
	for i := range all {
		open = append(open, begin(i))
	}
	for _, p := range open {
		p.Wait()
	}
}

func (c *cells[T]) same(lo uint64, got, want []T) error {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("rank %d has read %v as element %d, not %v",
				c.program.rank.ID(), got[i], lo+uint64(i), want[i])
		}
	}
	return nil
}

// compare compares this rank's elements with the twin's.
func (c *cells[T]) compare(epoch int, want [2][]uint64) error {
	for side, a := range c.sides {
		for i, v := range a.Local() {
			key := a.Distribution().Key(c.program.rank.ID(), i)
			if w := c.of(want[side][key]); v != w {
				return fmt.Errorf("after epoch %d, element %d of side %d at rank %d is %v, not %v", epoch, key,
					side, c.program.rank.ID(), v, w)
			}
		}
	}
	return nil
}

// spread draws a distribution of n elements: one of package distribution, or one of the program's own.
func (w *World) spread(n int, seed uint64) distribution.Indexed {
	keys, ranks := uint64(n), w.Ranks
	switch mix(seed, 37) % 7 {
	case 0:
		return distribution.Block(keys, ranks)
	case 1:
		return distribution.Cyclic(keys, ranks)
	case 2:
		return distribution.BlockCyclic(keys, ranks, 1+mix(seed, 38)%5)
	case 3:
		return distribution.Shuffled(keys, ranks, seed)
	case 4:
		owners := make([]uint32, n)
		for i := range owners {
			owners[i] = uint32(mix(seed, uint64(100+i)) % uint64(ranks))
		}
		return distribution.Table(owners, ranks)
	case 5:
		return backward{distribution.Block(keys, ranks)}
	}
	return dealt{n, ranks}
}

// backward is a program's own distribution, of blocks whose elements lie backward. It has methods of the one that it is
// made of, which don't know that.
type backward struct{ *distribution.BlockMap }

func (b backward) Local(key uint64) int {
	return b.LocalLen(b.Owner(key)) - 1 - b.BlockMap.Local(key)
}

func (b backward) Key(rank, local int) uint64 { return b.BlockMap.Key(rank, b.LocalLen(rank)-1-local) }

// dealt is a program's own distribution, which deals elements to ranks from the last one on.
type dealt struct{ n, ranks int }

func (d dealt) Ranks() int           { return d.ranks }
func (d dealt) Len() uint64          { return uint64(d.n) }
func (d dealt) Local(key uint64) int { return int(key) / d.ranks }

func (d dealt) Owner(key uint64) int {
	if key >= uint64(d.n) {
		return -1
	}
	return d.ranks - 1 - int(key)%d.ranks
}

func (d dealt) Key(rank, local int) uint64 { return uint64(local*d.ranks + d.ranks - 1 - rank) }

func (d dealt) LocalLen(rank int) int { return (d.n + rank) / d.ranks }
