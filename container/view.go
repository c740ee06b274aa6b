package container

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/pebble"
)

// Entry is an element of a container: a key with its value.
type Entry[K, V any] struct {
	Key   K
	Value V
}

// View is the entries of a container, or some of them, as they are when they are looked at. It copies nothing. Each
// container has one of all its entries; Filter and [Convert] make others.
type View[K, V any] struct {
	*base
	local iter.Seq2[K, V]
}

// LocalAll are the entries of this rank, in no order. What an iteration calls may send; a handler that adds or removes
// an entry meanwhile ends the job.
func (v View[K, V]) LocalAll() iter.Seq2[K, V] { return v.local }

// LocalLen is the number of entries of this rank. It looks at each.
func (v View[K, V]) LocalLen() int {
	n := 0
	for range v.local {
		n++
	}
	return n
}

// Len is the number of entries on all ranks. All ranks call it.
func (v View[K, V]) Len() (uint64, error) { return sum(v.base, v.LocalLen()) }

// ForAll is an epoch in which each rank calls do with each of its entries. All ranks call it. do may send; what it sent
// has been handled when ForAll returns. The first error of do ends the job.
func (v View[K, V]) ForAll(do func(k K, v V) error) error {
	return v.rank.Epoch(func() error {
		for k, x := range v.local {
			if err := do(k, x); err != nil {
				return failed(v.base, err)
			}
		}
		return nil
	}, pebble.Named(v.name+" for all"))
}

// Gather returns the entries of all ranks on one of them, the root, in no order, and nil on the others. All ranks call
// it. The root needs the memory.
func (v View[K, V]) Gather(root int) ([]Entry[K, V], error) {
	codec, err := v.codec()
	if err != nil {
		return nil, failed(v.base, err)
	}
	mine := newCollection(v.base, "GatherSlice", codec)
	var e Entry[K, V]
	var es []Entry[K, V]
	for e.Key, e.Value = range v.local {
		mine.add(unsafe.Pointer(&e))
	}
	err = mine.gather(root, place(&es))
	return es, err
}

// TopK returns, on every rank, the n entries that compare says are the first, in order. compare is less than 0 where a
// comes before b, as for slices.SortFunc; where it is 0 for two entries, which one is among the n may differ from run
// to run. All ranks call it. It costs log2 P messages of n entries a rank.
func (v View[K, V]) TopK(n int, compare func(a, b Entry[K, V]) int) ([]Entry[K, V], error) {
	if n < 0 || compare == nil {
		return nil, failed(v.base, fmt.Errorf("TopK of %d entries needs a number of 0 or more, and a function that compares",
			n))
	}
	codec, err := v.codec()
	if err != nil {
		return nil, failed(v.base, err)
	}
	var best []Entry[K, V]
	less := func(i, j int) bool { return compare(best[i], best[j]) < 0 }
	last := heap{before: func(i, j int) bool { return less(j, i) }}
	for k, x := range v.local {
		if e := (Entry[K, V]{k, x}); len(best) < n {
			best = append(best, e)
			last.push(len(best) - 1)
		} else if n > 0 && compare(e, best[last.numbers[0]]) < 0 {
			best[last.numbers[0]] = e
			last.fix()
		}
	}
	err = newCollection(v.base, "AllReduce", codec).top(n, place(&best), less)
	return best, err
}

// Filter is a view of the entries that keep says.
//
//go:noinline
func (v View[K, V]) Filter(keep func(k K, v V) bool) View[K, V] {
	all := v.local
	v.local = func(yield func(K, V) bool) {
		for k, x := range all {
			if keep(k, x) && !yield(k, x) {
				return
			}
		}
	}
	return v
}

// Convert is a view in which each entry is what convert makes of it. Keys of it may be equal.
func Convert[K, V, K2, V2 any](v View[K, V], convert func(k K, v V) (K2, V2)) View[K2, V2] {
	of := *v.base
	w := wireOf[K2, V2]()
	of.codec = func() (codecs.Value, error) {
		_, err := w.take(nil)
		return w.entries(), err
	}
	return View[K2, V2]{&of, func(yield func(K2, V2) bool) {
		for k, x := range v.local {
			if !yield(convert(k, x)) {
				return
			}
		}
	}}
}
