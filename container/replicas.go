package container

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/activepebbles/pebbles/pebble"
)

// replicas are copies of entries that are read often, on every rank in the same order.
type replicas[K comparable, V any] struct {
	entries []Entry[K, V]
	hits    []uint32 // reads of each on this rank
	places  map[K]int
}

// copyOf returns the value of a key that there is a copy of.
func copyOf[K comparable, V any](p *replicas[K, V], k K) (v V, ok bool) {
	if len(p.places) == 0 {
		return v, false
	}
	at, ok := p.places[k]
	if ok {
		p.hits[at]++
		v = p.entries[at].Value
	}
	return v, ok
}

// Replicate has every rank hold copies of the entries that tasks have read most often, n at most, so that such reads
// need no message, and no owner alone answers for a frequent key. A sketch at each owner finds up to 1,024 of them, by
// what was read since the last call; so the first call comes after some reads. Copies are of now: what changes
// afterwards is read as it was, until the next Replicate. With 0 there are none. All ranks call it, with the same n,
// between epochs. It costs three collectives, and n entries of memory on every rank.
func (r *Reads[K, V]) Replicate(n int) error {
	if n < 0 {
		return fmt.Errorf("%s: %d replicas: give 0 or more", r.of.name, n)
	}
	if err := weighReplicas(r); err != nil {
		return err
	}
	var own []candidate
	var entries []Entry[K, V]
	var found [1]Found[V]
	for k, count := range r.asked.counts {
		if r.of.look([]K{k}, found[:]); found[0].OK {
			own = append(own, candidate{uint64(*count) * uint64(r.asked.step), r.of.number(k), len(entries)})
			entries = append(entries, Entry[K, V]{k, found[0].Value})
		}
	}
	chosen, err := mostAsked(r.of.rank, own, n)
	if err != nil {
		return err
	}
	all := newCollection(r.of.base, "AllGatherSlice", r.of.entries)
	for _, c := range chosen {
		all.add(unsafe.Pointer(&entries[c.at]))
	}
	r.near = replicas[K, V]{places: make(map[K]int)}
	if err := all.allGather(place(&r.near.entries)); err != nil {
		return err
	}
	r.asked = newSketch(r.of.own)
	r.near.hits = make([]uint32, len(r.near.entries))
	for at, e := range r.near.entries {
		r.near.places[e.Key] = at
	}
	return nil
}

// candidate is an entry that may be copied.
type candidate struct {
	count  uint64
	number uint64 // of the key, so that of equal counts the same are taken in each run
	at     int
}

// mostAsked are those of the candidates of this rank that are among the n first ones of all.
func mostAsked(r *pebble.Rank, own []candidate, n int) ([]candidate, error) {
	slices.SortFunc(own, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.number, b.number))
	})
	own = own[:min(n, len(own))]
	counts := make([]uint64, len(own))
	for i, c := range own {
		counts[i] = c.count
	}
	all, err := pebble.AllGatherSlice(r, counts)
	if err != nil {
		return nil, err
	}
	return own[:mostFrequent(all, n)[r.ID()]], nil
}

// weighReplicas adds what all ranks have read of the copies to their owners' sketches.
func weighReplicas[K comparable, V any](r *Reads[K, V]) error {
	all, err := pebble.AllGatherSlice(r.of.rank, r.near.hits)
	if err != nil {
		return err
	}
	for at, e := range r.near.entries {
		if r.of.owner.Owner(r.of.number(e.Key)) != r.of.rank.ID() {
			continue
		}
		hits := uint64(0)
		for _, of := range all {
			hits += uint64(of[at])
		}
		if n := uint32(hits / uint64(r.asked.step)); n > 0 {
			r.asked.counts[e.Key] = &n // nobody has asked for it
		}
	}
	return nil
}

// mostFrequent says how many of the first counts of each rank, which are in descending order, are among the n highest.
func mostFrequent(counts [][]uint64, n int) []int {
	taken := make([]int, len(counts))
	for range n {
		best := -1
		for rank, of := range counts {
			if at := taken[rank]; at < len(of) && (best < 0 || of[at] > counts[best][taken[best]]) {
				best = rank
			}
		}
		if best < 0 {
			break
		}
		taken[best]++
	}
	return taken
}
