package components

import (
	"maps"
	"slices"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// Smallest implements Kernel. Labels are the smallest indices of components. In an ordered graph the vertex with the
// smallest index is not the first one of the source, so the owner of the label finds that one.
func (f *found[V]) Smallest() ([]uint64, error) {
	if !f.g.Ordered {
		return f.Labels(), nil
	}
	least := map[V]V{}
	for v, label := range f.labels() {
		number := f.first + V(f.Number(uint64(v)))
		if before, known := least[label]; !known || number < before {
			least[label] = number
		}
	}
	if err := f.leave(least); err != nil {
		return nil, err
	}
	labels := slices.Collect(maps.Keys(least))
	indices := make([]uint64, len(labels))
	for i, label := range labels {
		indices[i] = uint64(label)
	}
	numbers, err := f.g.AskOwners(indices, func(place uint64) uint64 { return uint64(f.least[place]) })
	if err != nil {
		return nil, err
	}
	for i, label := range labels {
		least[label] = V(numbers[i])
	}
	all := f.Labels()
	for v, label := range all {
		all[v] = uint64(least[V(label)])
	}
	return all, nil
}

// leave sends, for each label, the first vertex in the source among this rank's vertices with it to the owner of the
// label.
func (f *found[V]) leave(least map[V]V) error {
	f.least = slices.Repeat([]V{distgraph.None[V]()}, int(f.local))
	before := f.firsts.Tally()
	err := f.g.Rank.Epoch(func() error {
		for label, number := range least {
			f.firsts.Send(label, number)
		}
		f.firsts.Flush()
		return nil
	}, pebble.Depth(1), pebble.Named("smallest"))
	if err != nil {
		return err
	}
	return f.firsts.Tally().Since(before).Check(f.g.Rank, "find the smallest vertices of components")
}
