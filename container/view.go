package container

import (
	"iter"

	"github.com/activepebbles/pebbles/internal/codecs"
)

// Entry is an element of a container: a key with its value.
type Entry[K, V any] struct {
	Key   K
	Value V
}

// View is a view of the entries of a container, or of some of them. It shows the state at the time of each read, and
// copies nothing. Each container with keys has one of all its entries; Filter and [Convert] make others.
type View[K, V any] struct{ entries[K, V] }

// entries has the methods of views. Its name is not exported, so that go doc shows them with each container.
type entries[K, V any] struct {
	*base
	local iter.Seq2[K, V]
}

func viewOf[K, V any](b *base, local iter.Seq2[K, V]) View[K, V] {
	return View[K, V]{entries[K, V]{b, local}}
}

// all returns the entries, each as one element.
func (v entries[K, V]) all() elements[Entry[K, V]] {
	return elements[Entry[K, V]]{v.base, func(yield func(Entry[K, V]) bool) {
		for k, x := range v.local {
			if !yield(Entry[K, V]{k, x}) {
				return
			}
		}
	}}
}

// LocalAll returns the entries of this rank, in no order. The body of the loop may send. A handler that adds or removes
// an entry meanwhile ends the job.
func (v entries[K, V]) LocalAll() iter.Seq2[K, V] { return v.local }

// LocalLen counts the entries of this rank. It reads each.
func (v entries[K, V]) LocalLen() int {
	n := 0
	for range v.local {
		n++
	}
	return n
}

// Len returns the number of entries on all ranks. All ranks call it.
func (v entries[K, V]) Len() (uint64, error) { return sum(v.base, v.LocalLen()) }

// ForAll runs an epoch in which each rank calls do with each of its entries. All ranks call it. do may send; its
// pebbles have been handled when ForAll returns. The first error of do ends the job.
func (v entries[K, V]) ForAll(do func(k K, v V) error) error {
	return forAll(v.base, func() error {
		for k, x := range v.local {
			if err := do(k, x); err != nil {
				return failed(v.base, err)
			}
		}
		return nil
	})
}

// Gather returns the entries of all ranks, in no order, on the root, and nil on other ranks. All ranks call it. The
// root needs memory for all.
func (v entries[K, V]) Gather(root int) ([]Entry[K, V], error) { return gatherAll(v.all(), root) }

// TopK returns, on every rank, the first n entries in the order of compare. compare returns a negative number if a
// comes before b, as for slices.SortFunc. If it returns 0, the choice between the two entries may differ from run to
// run. All ranks call it. It costs log2 P messages of n entries per rank.
func (v entries[K, V]) TopK(n int, compare func(a, b Entry[K, V]) int) ([]Entry[K, V], error) {
	return firstOfAll(v.all(), n, compare)
}

// Filter returns a view of the entries for which keep returns true.
//
//go:noinline
func (v entries[K, V]) Filter(keep func(k K, v V) bool) View[K, V] {
	return viewOf(v.base, func(yield func(K, V) bool) {
		for k, x := range v.local {
			if keep(k, x) && !yield(k, x) {
				return
			}
		}
	})
}

// Convert returns a view whose entries are the results of convert. Their keys may be equal.
func Convert[K, V, K2, V2 any](v View[K, V], convert func(k K, v V) (K2, V2)) View[K2, V2] {
	of := *v.base
	w := wireOf[K2, V2]()
	of.codec = func() (codecs.Value, error) {
		_, err := w.take(nil)
		return w.entries(), err
	}
	return viewOf(&of, func(yield func(K2, V2) bool) {
		for k, x := range v.local {
			if !yield(convert(k, x)) {
				return
			}
		}
	})
}
