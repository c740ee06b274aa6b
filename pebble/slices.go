package pebble

import (
	"encoding/binary"
	"errors"

	"github.com/activepebbles/pebbles/internal/layout"
)

// GatherSlice returns the slices of all ranks, ordered by rank, on the root, and nil on the others. They may differ in
// length, and be empty. T is plain data, or any type with a codec, which encodes each element. vs is free for reuse
// when GatherSlice returns; the caller owns the result. It costs P-1 messages in total, in ⌈log2 P⌉ rounds. One message
// has the elements of P/2 ranks, or of up to P-1 if P is not a power of two, and must be below 1 GiB.
func GatherSlice[T any](r *Rank, root int, vs []T, codec ...Codec[T]) ([][]T, error) {
	c, coder := begin(r, "GatherSlice", codec)
	c.of.Slice = true
	own, err := encodeSlice(coder, vs)
	if err != nil {
		return nil, c.fail(err)
	}
	all, err := c.rank.Collectives.Gather(c.of, root, own)
	if err != nil || all == nil {
		return nil, err
	}
	return decodeSlices(&c, coder, all)
}

// AllGatherSlice is [GatherSlice] to every rank: it returns the slices of all ranks, ordered by rank, on each rank,
// which owns them. It costs as much as [AllGather].
func AllGatherSlice[T any](r *Rank, vs []T, codec ...Codec[T]) ([][]T, error) {
	c, coder := begin(r, "AllGatherSlice", codec)
	c.of.Slice = true
	own, err := encodeSlice(coder, vs)
	if err != nil {
		return nil, c.fail(err)
	}
	all, err := c.rank.Collectives.AllGatherV(c.of, own)
	if err != nil {
		return nil, err
	}
	return decodeSlices(&c, coder, all)
}

// encodeSlice encodes a slice: the elements as they lie in memory, or, with a codec, the length and the encoding of
// each.
func encodeSlice[T any](codec Codec[T], vs []T) (all []byte, err error) {
	if codec == nil {
		return layout.BytesOf(vs), nil
	}
	var one []byte
	for _, v := range vs {
		if one, err = encode(codec, one[:0], v); err != nil {
			return nil, err
		}
		all = append(binary.AppendUvarint(all, uint64(len(one))), one...)
	}
	return all, nil
}

// decodeSlices decodes the slices of all ranks.
func decodeSlices[T any](c *call, codec Codec[T], all [][]byte) ([][]T, error) {
	own := make([][]T, len(all))
	for i, src := range all {
		var err error
		if own[i], err = decodeSlice(codec, src); err != nil {
			return nil, c.fail(err)
		}
	}
	return own, nil
}

// decodeSlice returns the slice that encodeSlice encoded.
func decodeSlice[T any](codec Codec[T], src []byte) ([]T, error) {
	if codec == nil {
		return layout.GetAll[T](src), nil
	}
	vs := []T{}
	for len(src) > 0 {
		n, head := binary.Uvarint(src)
		if head <= 0 || n > uint64(len(src)-head) {
			return nil, errCut
		}
		v, err := decode(codec, src[head:head+int(n)])
		if err != nil {
			return nil, err
		}
		vs, src = append(vs, v), src[head+int(n):]
	}
	return vs, nil
}

var errCut = errors.New("decode a slice: it is cut short")
