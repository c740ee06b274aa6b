package worlds

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// compare compares what is at this rank with the twin's, and what all ranks have together.
func (c *containers) compare(epoch int) error {
	if c.wrong != nil || c.open != 0 {
		return cmp.Or(c.wrong, fmt.Errorf("rank %d waits for %d answers", c.program.rank.ID(), c.open))
	}
	want := c.twins[epoch]
	if err := c.compareKeys(want.entries); err != nil {
		return err
	}
	if c.bag != nil {
		if err := c.compareBag(want.bagged); err != nil {
			return err
		}
	}
	if c.sets != nil {
		if err := c.compareSets(want); err != nil {
			return err
		}
	}
	if c.tables != nil {
		return c.tables.compare(epoch, want.tables)
	}
	return nil
}

// compareKeys compares the entries that this rank owns, container by container.
func (c *containers) compareKeys(want []entry) error {
	if c.values != nil {
		if err := c.same("map", want, c.values.Owner, c.values.LocalAll(), func(e entry) (uint64, bool) {
			return e.Value, e.There
		}); err != nil {
			return err
		}
	}
	if c.counts != nil {
		if err := c.same("counter", want, c.counts.Owner, c.counts.LocalAll(), func(e entry) (uint64, bool) {
			return e.Count, e.Count > 0
		}); err != nil {
			return err
		}
	}
	if c.set != nil {
		keys := container.Convert(c.set.View, func(k string, _ struct{}) (string, uint64) { return k, 0 })
		if err := c.same("set", want, c.set.Owner, keys.LocalAll(), func(e entry) (uint64, bool) {
			return 0, e.Has
		}); err != nil {
			return err
		}
	}
	if c.multi == nil {
		return nil
	}
	return c.same("multimap", want, c.multi.Owner, func(yield func(string, uint64) bool) {
		for k, vs := range c.multi.LocalGroups() {
			sum := uint64(0)
			for _, v := range vs {
				sum += v
			}
			if !yield(k, mix(uint64(len(vs)), sum)) {
				return
			}
		}
	}, func(e entry) (uint64, bool) { return mix(e.Values, e.Sum), e.Values > 0 })
}

// same compares the entries of one container that are at this rank. of is what the twin has of a key.
func (c *containers) same(what string, want []entry, owner func(k string) int, local iter.Seq2[string, uint64],
	of func(e entry) (uint64, bool)) error {
	got, self := map[string]uint64{}, c.program.rank.ID()
	for k, v := range local {
		if _, twice := got[k]; twice {
			return fmt.Errorf("rank %d has key %v twice in the %s", self, k, what)
		}
		got[k] = v
	}
	for label, e := range want {
		k := c.keys[label]
		v, there := of(e)
		if n, ok := got[k]; ok != (there && owner(k) == self) || ok && n != v {
			return fmt.Errorf("rank %d has %d (%v) of key %v in the %s, not %d (%v)", self, n, ok, k, what, v, there)
		}
		delete(got, k)
	}
	if len(got) > 0 {
		return fmt.Errorf("rank %d has keys in the %s that nobody has put there: %v", self, what, got)
	}
	return nil
}

// compareBag compares the elements of all ranks, of which each has as many, but for one, once they are balanced.
func (c *containers) compareBag(want draws) error {
	r := c.program.rank
	if err := c.bag.Balance(); err != nil {
		return err
	}
	var mine draws
	for _, v := range c.bag.LocalSlice() {
		mine.add(v)
	}
	all, err := pebble.AllReduce(r, mine, func(a, b draws) draws {
		return draws{a.Count + b.Count, a.Sum + b.Sum, a.Squares + b.Squares}
	})
	if err != nil {
		return err
	}
	if n, mean := mine.Count, want.Count/uint64(r.Size()); all != want || n < mean || n > mean+1 {
		return fmt.Errorf("rank %d has %d elements of the bag; number, sum and sum of squares are %d, not %d",
			r.ID(), n, all, want)
	}
	return nil
}

// compareSets compares who is in one set with whom.
func (c *containers) compareSets(want kept) error {
	r, keys, sets := c.program.rank, 0, 0
	for label, e := range want.entries {
		if e.Parent > 0 {
			keys++
			sets += bit(want.root(label) == label)
		}
	}
	n, err := c.sets.Sets()
	if err != nil {
		return err
	}
	joined, err := pebble.AllReduce(r, c.joined, pebble.Sum)
	if err != nil {
		return err
	}
	if int(n) != sets || joined != keys-sets {
		return fmt.Errorf("%d keys are in %d sets, and %d unions have joined some, in place of %d sets", keys, n,
			joined, sets)
	}
	if err := c.sets.Compress(); err != nil {
		return err
	}
	var mine []pair
	for k, root := range c.sets.LocalAll() {
		mine = append(mine, pair{uint64(c.labels[k]), uint64(c.labels[root])})
	}
	all, err := pebble.AllGatherSlice(r, mine)
	if err != nil {
		return err
	}
	roots := map[int]uint64{} // by the twin's
	for _, p := range slices.Concat(all...) {
		of := want.root(int(p.Label))
		if root, ok := roots[of]; ok && root != p.Number {
			return fmt.Errorf("key %d of one set has the root %d, and another one %d", p.Label, p.Number, root)
		}
		roots[of] = p.Number
	}
	if len(roots) != sets {
		return fmt.Errorf("%d sets have roots, of %d", len(roots), sets)
	}
	return nil
}
