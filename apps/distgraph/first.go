package distgraph

import (
	"slices"

	"github.com/activepebbles/pebbles/pebble"
)

const firstTold = 5 // in a result

// First keeps the first five of its values, in a given order. T is plain data. It belongs to its rank's goroutine.
type First[T any] struct {
	compare func(a, b T) int
	kept    []T
}

// NewFirst returns an empty First. compare is a total order; it is negative if a comes before b.
func NewFirst[T any](compare func(a, b T) int) *First[T] { return &First[T]{compare: compare} }

// Offer keeps v if it is among the first. Most values offered late cost one comparison.
func (f *First[T]) Offer(v T) {
	full := len(f.kept) == firstTold
	if full && f.compare(v, f.kept[firstTold-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(f.kept, v, f.compare)
	if full {
		f.kept = f.kept[:firstTold-1]
	}
	f.kept = slices.Insert(f.kept, at, v)
}

// Gather returns the first five of the values offered on all ranks, in order. All ranks call it.
func (f *First[T]) Gather(r *pebble.Rank) ([]T, error) {
	gathered, err := pebble.AllGatherSlice(r, f.kept)
	all := slices.Concat(gathered...)
	slices.SortFunc(all, f.compare)
	return all[:min(len(all), firstTold)], err
}
