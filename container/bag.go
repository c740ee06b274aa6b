package container

import (
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Bag is a container of elements without keys, each on the rank that added it. Its methods are for its rank's
// goroutine.
type Bag[V any] struct {
	Elements[V]
	here  []V
	sends *target.Target[placed[V]]
	moved []V // elements that arrive while Balance runs
}

// placed is an element or a row on its way to another rank.
type placed[V any] struct {
	V  V
	To uint32
}

// NewBag makes a bag, by the rules of [NewMap].
func NewBag[V any](r *pebble.Rank, name string, options ...target.Option) *Bag[V] {
	w := wireOf[int, V]()
	others, err := w.take(options)
	if err != nil {
		r.Inside(frame.Access{}).Refuse(name, err.Error())
	}
	b := &Bag[V]{}
	b.Elements = elementsOf(newBase(r, name, w.values.Value), func(yield func(V) bool) {
		b.engine.CheckFreed("an iteration was begun")
		for _, v := range b.here {
			if !yield(v) {
				return
			}
		}
	})
	b.sends = newMoves(b.base, w.values, others, func(vs []V) { b.moved = append(b.moved, vs...) })
	have(b.base, b.sends)
	return b
}

// Add adds an element to this rank's part. It sends nothing, and may be called anywhere on the rank's goroutine.
func (b *Bag[V]) Add(v V) {
	if len(b.here) == cap(b.here) { // also true after Free
		b.engine.CheckFreed("Add was called")
	}
	b.here = append(b.here, v)
}

// LocalSlice returns this rank's part. The bag owns the slice; its elements may be changed and sorted in place.
func (b *Bag[V]) LocalSlice() []V { return b.here }

// LocalLen returns the number of elements of this rank, at no cost.
func (b *Bag[V]) LocalLen() int { return len(b.here) }

// Balance moves elements until the ranks' numbers of elements differ by one at most. The order of elements over the
// ranks is lost. All ranks call it.
func (b *Bag[V]) Balance() error {
	counts, err := pebble.AllGather(b.rank, len(b.here))
	if err != nil {
		return err
	}
	keep, moves := balance(counts, b.rank.ID())
	if err := b.rank.Epoch(func() error {
		rest := b.here[keep:]
		for _, m := range moves {
			for _, v := range rest[:m.n] {
				b.sends.Send(placed[V]{v, uint32(m.to)})
			}
			rest = rest[m.n:]
		}
		return nil
	}, pebble.Named(b.name+" balance")); err != nil {
		return err
	}
	clear(b.here[keep:])
	b.here, b.moved = append(b.here[:keep], b.moved...), nil
	return nil
}

// move sends n elements to a rank.
type move struct{ to, n int }

// balance returns the number of elements that a rank keeps, and its moves: the surplus of all ranks, in order, fills
// the gaps of all ranks, in order.
func balance(counts []int, self int) (keep int, moves []move) {
	total := 0
	for _, n := range counts {
		total += n
	}
	due := func(rank int) int { return total/len(counts) + min(1, max(0, total%len(counts)-rank)) }
	before := 0 // surplus of the ranks before this one
	for rank, n := range counts[:self] {
		before += max(0, n-due(rank))
	}
	mine := max(0, counts[self]-due(self))
	for rank, n := range counts {
		free := max(0, due(rank)-n)
		skip := min(before, free)
		before -= skip
		if n := min(mine, free-skip); n > 0 {
			moves = append(moves, move{rank, n})
			mine -= n
		}
	}
	return min(counts[self], due(self)), moves
}

// Clear removes all elements of all ranks, and frees their memory. All ranks call it.
func (b *Bag[V]) Clear() error {
	b.here = nil
	return b.rank.Barrier()
}
