package container

import (
	"container/heap"
	"fmt"
	"iter"
	"unsafe"

	"github.com/activepebbles/pebbles/pebble"
)

// Elements is a view of a bag or a table, or of some of its elements. It shows the state at the time of each read, and
// copies nothing. Each bag and each table has one of all its elements; Filter makes others.
type Elements[E any] struct{ elements[E] }

// elements has the methods of Elements, as entries has those of View.
type elements[E any] struct {
	*base
	local iter.Seq[E]
}

func elementsOf[E any](b *base, local iter.Seq[E]) Elements[E] {
	return Elements[E]{elements[E]{b, local}}
}

func (v elements[E]) all() elements[E] { return v }

// LocalAll returns the elements of this rank. The body of the loop may send.
func (v elements[E]) LocalAll() iter.Seq[E] { return v.local }

// LocalLen counts the elements of this rank. It reads each.
func (v elements[E]) LocalLen() int {
	n := 0
	for range v.local {
		n++
	}
	return n
}

// Len returns the number of elements on all ranks. All ranks call it.
func (v elements[E]) Len() (uint64, error) { return sum(v.base, v.LocalLen()) }

// ForAll runs an epoch in which each rank calls do with each of its elements, by the rules of View.ForAll.
func (v elements[E]) ForAll(do func(e E) error) error {
	return forAll(v.base, func() error {
		for e := range v.local {
			if err := do(e); err != nil {
				return failed(v.base, err)
			}
		}
		return nil
	})
}

func forAll(b *base, body func() error) error {
	return b.rank.Epoch(body, pebble.Named(b.name+" for all"))
}

// Gather returns the elements of all ranks, by rank, on the root, and nil on other ranks. All ranks call it. The root
// needs memory for all.
func (v elements[E]) Gather(root int) ([]E, error) { return gatherAll(v, root) }

func gatherAll[E any](v elements[E], root int) ([]E, error) {
	codec, err := v.codec()
	if err != nil {
		return nil, failed(v.base, err)
	}
	mine := newCollection(v.base, "GatherSlice", codec)
	var e E
	var es []E
	for e = range v.local {
		mine.add(unsafe.Pointer(&e))
	}
	err = mine.gather(root, place(&es))
	return es, err
}

// TopK returns, on every rank, the first n elements in the order of compare, by the rules of View.TopK.
func (v elements[E]) TopK(n int, compare func(a, b E) int) ([]E, error) {
	return firstOfAll(v, n, compare)
}

func firstOfAll[E any](v elements[E], n int, compare func(a, b E) int) ([]E, error) {
	if n < 0 || compare == nil {
		return nil, failed(v.base, fmt.Errorf("TopK of %d entries needs a number of 0 or more, and a function that compares",
			n))
	}
	codec, err := v.codec()
	if err != nil {
		return nil, failed(v.base, err)
	}
	var best []E
	less := func(i, j int) bool { return compare(best[i], best[j]) < 0 }
	last := ranking{before: func(i, j int) bool { return less(j, i) }}
	for e := range v.local {
		if len(best) < n {
			best = append(best, e)
			heap.Push(&last, len(best)-1)
		} else if n > 0 && compare(e, best[last.first()]) < 0 {
			best[last.first()] = e
			heap.Fix(&last, 0)
		}
	}
	err = newCollection(v.base, "AllReduce", codec).top(n, place(&best), less)
	return best, err
}

// Filter returns a view of the elements for which keep returns true.
//
//go:noinline
func (v elements[E]) Filter(keep func(e E) bool) Elements[E] {
	return elementsOf(v.base, func(yield func(E) bool) {
		for e := range v.local {
			if keep(e) && !yield(e) {
				return
			}
		}
	})
}
