package pebble

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/layout"
)

// Collectives are for the main function, between epochs: all ranks call them in the same order, with values of the same
// type. They run no handler. What they return is the caller's. Values are plain data (numbers, and arrays and structs
// of them), or of any type with a [Codec], of which a call takes one at the most. They fail when the job has failed,
// and a codec's error ends the job.

// Barrier returns when all ranks have called it. It costs ⌈log2 P⌉ messages a rank, in as many rounds.
func (r *Rank) Barrier() error { return r.engine.Collectives.Barrier() }

// AllReduce merges the values of all ranks with merge, which must be associative and commutative, and returns the
// result on every rank: the same on each, also for floating-point numbers, whose sums depend on the order. [Sum], [Min]
// and others are ready merges. It costs about log2 P messages a rank, in ⌊log2 P⌋ rounds, and two more when P is no
// power of two.
//
// T is plain data, or any type with a codec. Values that merge is given through a codec are its own: it may change and
// keep them.
func AllReduce[T any](r *Rank, v T, merge func(a, b T) T, codec ...Codec[T]) (T, error) {
	c, coder := begin(r, "AllReduce", codec)
	c.needs(merge != nil)
	if coder != nil {
		return fold(&c, coder, v, c.rank.Collectives.AllFold, func(own T, from func() T) T { return merge(own, from()) })
	}
	result, err := c.rank.Collectives.AllReduce(c.of, layout.Bytes(&v), func(into, from []byte) {
		layout.Set(into, merge(layout.Get[T](into), layout.Get[T](from)))
	})
	if err != nil {
		return v, err
	}
	return layout.Get[T](result), nil
}

// Broadcast returns the root's v on every rank. The values of the others are not looked at. T is plain data, or any
// type with a codec. It costs P-1 messages in all, in ⌈log2 P⌉ rounds.
func Broadcast[T any](r *Rank, root int, v T, codec ...Codec[T]) (T, error) {
	c, coder := begin(r, "Broadcast", codec)
	var own []byte
	if r.ID() == root {
		var err error
		if own, err = encode(coder, nil, v); err != nil {
			return v, c.fail(err)
		}
	}
	result, err := c.rank.Collectives.Broadcast(c.of, root, own)
	if err != nil || r.ID() == root {
		return v, err
	}
	got, err := decode(coder, result)
	if err != nil {
		return v, c.fail(err)
	}
	return got, nil
}

// BroadcastBytes returns a copy of the root's value on every rank. The values of the others are not looked at.
func (r *Rank) BroadcastBytes(root int, value []byte) ([]byte, error) {
	result, err := r.engine.Collectives.Broadcast(engine.Values{}, root, value)
	return append([]byte(nil), result...), err
}

// Gather returns the values of all ranks, by rank, on the root, and nil on the others. T is plain data, or any type
// with a codec. It costs P-1 messages in all, in ⌈log2 P⌉ rounds.
func Gather[T any](r *Rank, root int, v T, codec ...Codec[T]) ([]T, error) {
	c, coder := begin(r, "Gather", codec)
	own, err := encode(coder, nil, v)
	if err != nil {
		return nil, c.fail(err)
	}
	all, err := c.rank.Collectives.Gather(c.of, root, own)
	if err != nil || all == nil {
		return nil, err
	}
	return decodeEach(&c, coder, all)
}

// GatherBytes returns copies of the values of all ranks, by rank, on the root, and nil on the others. Values may differ
// in length.
func (r *Rank) GatherBytes(root int, value []byte) ([][]byte, error) {
	all, err := r.engine.Collectives.Gather(engine.Values{}, root, value)
	return copies(all), err
}

// AllGather returns the values of all ranks, by rank, on every rank. T is plain data, or any type with a codec. It
// costs ⌈log2 P⌉ messages a rank, in as many rounds, with P-1 values in all.
func AllGather[T any](r *Rank, v T, codec ...Codec[T]) ([]T, error) {
	c, coder := begin(r, "AllGather", codec)
	if coder == nil {
		result, err := c.rank.Collectives.AllGather(c.of, layout.Bytes(&v))
		if err != nil {
			return nil, err
		}
		all := make([]T, r.Size())
		copy(layout.BytesOf(all), result)
		return all, nil
	}
	own, err := encode(coder, nil, v)
	if err != nil {
		return nil, c.fail(err)
	}
	all, err := c.rank.Collectives.AllGatherV(c.of, own)
	if err != nil {
		return nil, err
	}
	return decodeEach(&c, coder, all)
}

// AllGatherBytes returns copies of the values of all ranks, by rank, on every rank. Values may differ in length. It
// costs ⌈log2 P⌉ messages a rank, in as many rounds.
func (r *Rank) AllGatherBytes(value []byte) ([][]byte, error) {
	all, err := r.engine.Collectives.AllGatherV(engine.Values{}, value)
	return copies(all), err
}

// copies are values in memory of their own, one block.
func copies(all [][]byte) [][]byte {
	if all == nil {
		return nil
	}
	total := 0
	for _, v := range all {
		total += len(v)
	}
	block := make([]byte, 0, total)
	own := make([][]byte, len(all))
	for i, v := range all {
		from := len(block)
		block = append(block, v...)
		own[i] = block[from:len(block):len(block)]
	}
	return own
}
