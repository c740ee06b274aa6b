package pebble

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/layout"
)

// Collectives are called by the main function, between epochs: all ranks call them in the same order, with values of
// the same type. They run no handlers. The caller owns the result. Values are plain data (numbers, and arrays and
// structs of them), or of any type with a [Codec]; a call takes at most one. Collectives fail once the job has failed.
// An error of a codec ends the job.

// Barrier returns when all ranks have called it. It costs as much as an [AllReduce].
func (r *Rank) Barrier() error { return r.engine.Collectives.Barrier() }

// AllReduce merges the values of all ranks and returns the result on every rank. merge must be associative and
// commutative. The result is identical on all ranks, even for floating-point sums, which depend on the order. [Sum],
// [Min] and others are ready merges. It costs about log2 P messages per rank, in ⌊log2 P⌋ rounds, and two more rounds
// if P is not a power of two.
//
// T is plain data, or any type with a codec. merge owns the values that it gets through a codec: it may change and keep
// them.
func AllReduce[T any](r *Rank, v T, merge func(a, b T) T, codec ...Codec[T]) (T, error) {
	c, coder := begin(r, "AllReduce", codec)
	c.needs(merge != nil)
	if coder != nil {
		start, err := encode(coder, nil, v)
		if err != nil {
			return v, c.fail(err)
		}
		result, err := fold(&c, coder, start, c.rank.Collectives.AllFold, merge)
		if err != nil {
			return v, err
		}
		return decodeOne(&c, coder, result)
	}
	result, err := c.rank.Collectives.AllReduce(c.of, layout.Bytes(&v), func(into, from []byte) {
		layout.Set(into, merge(layout.Get[T](into), layout.Get[T](from)))
	})
	if err != nil {
		return v, err
	}
	return layout.Get[T](result), nil
}

// Broadcast returns the root's v on every rank, and ignores the values of other ranks. T is plain data, or any type
// with a codec. It costs P-1 messages in total, in ⌈log2 P⌉ rounds.
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
	return decodeOne(&c, coder, result)
}

// BroadcastBytes returns a copy of the root's value on every rank, and ignores the values of other ranks.
func (r *Rank) BroadcastBytes(root int, value []byte) ([]byte, error) {
	result, err := r.engine.Collectives.Broadcast(engine.Values{}, root, value)
	return append([]byte(nil), result...), err
}

// Gather returns the values of all ranks, ordered by rank, on the root, and nil on the others. T is plain data, or any
// type with a codec. It costs P-1 messages in total, in ⌈log2 P⌉ rounds.
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

// GatherBytes returns copies of the values of all ranks, ordered by rank, on the root, and nil on the others. Values
// may differ in length.
func (r *Rank) GatherBytes(root int, value []byte) ([][]byte, error) {
	all, err := r.engine.Collectives.Gather(engine.Values{}, root, value)
	return copies(all), err
}

// AllGather returns the values of all ranks, ordered by rank, on every rank. T is plain data, or any type with a codec.
// It costs the messages and rounds of an [AllReduce]; they carry P-1 values, or fewer than 3P if P is not a power of
// two.
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

// AllGatherBytes returns copies of the values of all ranks, ordered by rank, on every rank. Values may differ in
// length. It costs as much as AllGather.
func (r *Rank) AllGatherBytes(value []byte) ([][]byte, error) {
	all, err := r.engine.Collectives.AllGatherV(engine.Values{}, value)
	return copies(all), err
}

// copies returns copies of the values, in one block of memory.
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
