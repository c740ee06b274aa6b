package pebble

import "github.com/activepebbles/pebbles/internal/layout"

// Scan merges the values of the ranks 0 to this one with merge, and returns the result: the inclusive prefix. merge
// must be associative; values are merged in the order of ranks, so it need not be commutative. It costs ⌈log2 P⌉
// messages a rank at most, in as many rounds.
//
// T is plain data, or any type with a codec. Values that merge is given through a codec are its own: it may change and
// keep them.
func Scan[T any](r *Rank, v T, merge func(a, b T) T, codec ...Codec[T]) (T, error) {
	c, coder := begin(r, "Scan", codec)
	c.needs(merge != nil)
	if coder != nil {
		return fold(&c, coder, v, c.rank.Collectives.ScanFold, func(own T, lower func() T) T { return merge(lower(), own) })
	}
	result, err := c.rank.Collectives.Scan(c.of, layout.Bytes(&v), func(into, lower []byte) {
		layout.Set(into, merge(layout.Get[T](lower), layout.Get[T](into)))
	})
	if err != nil {
		return v, err
	}
	return layout.Get[T](result), nil
}

// ExclusiveScan is [Scan] without this rank's own value: the values of all lower ranks, merged; on rank 0 first, which
// other ranks don't look at. The usual first is 0 for a sum. Where a rank's share of an array begins, for instance, is
// the exclusive scan of the lengths of all shares. It costs as much as Scan, and twice as many calls of merge.
func ExclusiveScan[T any](r *Rank, v, first T, merge func(a, b T) T, codec ...Codec[T]) (T, error) {
	c, coder := begin(r, "ExclusiveScan", codec)
	c.needs(merge != nil)
	before, any := first, false
	lower := func(from func() T) {
		if any {
			before = merge(from(), before)
		} else {
			before, any = from(), true
		}
	}
	var err error
	if coder != nil {
		_, err = fold(&c, coder, v, c.rank.Collectives.ScanFold, func(own T, from func() T) T {
			lower(from)
			return merge(from(), own)
		})
	} else {
		_, err = c.rank.Collectives.Scan(c.of, layout.Bytes(&v), func(into, from []byte) {
			v := layout.Get[T](from)
			lower(func() T { return v })
			layout.Set(into, merge(v, layout.Get[T](into)))
		})
	}
	return before, err
}
