package pebble

import "github.com/activepebbles/pebbles/internal/layout"

// Scan returns the merged values of ranks 0 to this one: the inclusive prefix. merge must be associative. Values are
// merged in the order of ranks, so merge need not be commutative. Scan costs at most ⌈log2 P⌉ messages per rank, in
// ⌈log2 P⌉ rounds, and about 2 log2 P calls of merge.
//
// T is plain data, or any type with a codec. merge owns the values that it gets through a codec: it may change and keep
// them.
func Scan[T any](r *Rank, v T, merge func(a, b T) T, codec ...Codec[T]) (T, error) {
	c, coder := begin(r, "Scan", codec)
	before, own, err := scan(&c, coder, v, merge)
	if err != nil || r.ID() == 0 {
		return own, err
	}
	return merge(before, own), nil
}

// ExclusiveScan is [Scan] without this rank's own value: it returns the merged values of all lower ranks, and first on
// rank 0. Other ranks ignore first. For a sum, first is usually 0. For example, the exclusive scan of the lengths of
// all shares is the index at which a rank's share of an array begins. ExclusiveScan has the cost of Scan.
func ExclusiveScan[T any](r *Rank, v, first T, merge func(a, b T) T, codec ...Codec[T]) (T, error) {
	c, coder := begin(r, "ExclusiveScan", codec)
	before, _, err := scan(&c, coder, v, merge)
	if err != nil || r.ID() == 0 {
		return first, err
	}
	return before, nil
}

// scan returns the merged values of all lower ranks (none on rank 0), and this rank's own: a copy, if a codec carries
// it.
func scan[T any](c *call, coder Codec[T], v T, merge func(a, b T) T) (before, own T, err error) {
	c.needs(merge != nil)
	start, err := encode(coder, nil, v)
	if err != nil {
		return before, v, c.fail(err)
	}
	var result []byte
	if coder != nil {
		turned := func(own, lower T) T { return merge(lower, own) }
		result, err = fold(c, coder, start, c.rank.Collectives.ScanFold, turned)
	} else {
		result, err = c.rank.Collectives.Scan(c.of, start, func(into, lower []byte) {
			layout.Set(into, merge(layout.Get[T](lower), layout.Get[T](into)))
		})
	}
	if err != nil {
		return before, v, err
	}
	if c.rank.ID() > 0 {
		if before, err = decodeOne(c, coder, result); err != nil {
			return before, v, err
		}
	}
	own, err = decodeOne(c, coder, start)
	return before, own, err
}
