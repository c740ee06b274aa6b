package pebble

import "github.com/activepebbles/pebbles/internal/layout"

// Scan merges the values of the ranks 0 to this one, and returns the result: the inclusive prefix. merge must be
// associative; values are merged in the order of ranks, so it need not be commutative. It costs at most ⌈log2 P⌉
// messages per rank, in as many rounds.
//
// T is plain data, or any type with a codec. merge owns the values that it gets through a codec: it may change and keep
// them.
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

// ExclusiveScan is [Scan] without this rank's own value: it returns the merged values of all lower ranks, and first on
// rank 0. Other ranks ignore first. The usual first is 0 for a sum. For example, the exclusive scan of the lengths of
// all shares is the index at which a rank's share of an array begins. It costs the same messages as Scan, and twice the
// calls of merge.
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
