package pebble

import (
	"encoding/binary"
	"errors"

	"github.com/activepebbles/pebbles/internal/layout"
)

// GatherSlice returns the slices of all ranks, by rank, on the root, and nil on the others. They may differ in length,
// and be empty. T is plain data, or any type with a codec, which is asked for each element. vs is free for reuse when
// GatherSlice returns; the result is the caller's. It costs P-1 messages in all, in ⌈log2 P⌉ rounds; what one of them
// carries, at most half of all elements, must be below 1 GiB.
func GatherSlice[T any](r *Rank, root int, vs []T, codec ...Codec[T]) ([][]T, error) {
	c := begin(r, "GatherSlice", codec)
	c.of.Slice = true
	own, err := c.appendAll(vs)
	if err != nil {
		return nil, c.fail(err)
	}
	all, err := c.rank.Gather(c.of, root, own)
	if err != nil || all == nil {
		return nil, err
	}
	return c.slices(all)
}

// AllGatherSlice is [GatherSlice] to every rank: it returns the slices of all ranks, by rank, on each, as slices of its
// own. It costs ⌈log2 P⌉ messages a rank, in as many rounds, with the elements of all other ranks.
func AllGatherSlice[T any](r *Rank, vs []T, codec ...Codec[T]) ([][]T, error) {
	c := begin(r, "AllGatherSlice", codec)
	c.of.Slice = true
	own, err := c.appendAll(vs)
	if err != nil {
		return nil, c.fail(err)
	}
	all, err := c.rank.AllGatherV(c.of, own)
	if err != nil {
		return nil, err
	}
	return c.slices(all)
}

// appendAll makes bytes of a slice: the elements as they lie in memory, or the length of each and what the codec
// appends.
func (c *call[T]) appendAll(vs []T) (all []byte, err error) {
	if c.codec == nil {
		return layout.BytesOf(vs), nil
	}
	var one []byte
	for _, v := range vs {
		if one, err = c.append(one[:0], v); err != nil {
			return nil, err
		}
		all = append(binary.AppendUvarint(all, uint64(len(one))), one...)
	}
	return all, nil
}

// slices are those of all ranks.
func (c *call[T]) slices(all [][]byte) ([][]T, error) {
	own := make([][]T, len(all))
	for i, src := range all {
		var err error
		if own[i], err = c.slice(src); err != nil {
			return nil, c.fail(err)
		}
	}
	return own, nil
}

// slice is the slice that appendAll made bytes of.
func (c *call[T]) slice(src []byte) ([]T, error) {
	if c.codec == nil {
		return layout.GetAll[T](src), nil
	}
	vs := []T{}
	for len(src) > 0 {
		n, head := binary.Uvarint(src)
		if head <= 0 || n > uint64(len(src)-head) {
			return nil, errCut
		}
		v, err := c.value(src[head : head+int(n)])
		if err != nil {
			return nil, err
		}
		vs, src = append(vs, v), src[head+int(n):]
	}
	return vs, nil
}

var errCut = errors.New("decode a slice: it is cut short")
