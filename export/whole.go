package export

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// BlockRows is how many rows a table's frames of gzip and zstd, blocks of Avro and row groups of Parquet have at most.
const BlockRows = 1 << 17

// WriteWhole writes the rows of all ranks to a table, with one batch a rank that has all of its rows. It is collective,
// between epochs; all ranks get the same error. Unlike those of Write, blocks begin at the same rows for any number of
// ranks, so that the bytes of one file do not depend on it: the rows before the first whole block of a rank travel to
// the rank that has the block's beginning. Then Close is next.
func WriteWhole(s *Sink[[]Column], batch []Column) error {
	_, err := rowsOf(batch)
	if err = dataset.Agree(s.rank, s.blame(err)); err != nil {
		return err
	}
	if s.oneFile && (s.packing != nil || s.format.packs) {
		if batch, err = aligned(s.rank, s.place.temp, batch); err != nil {
			return err
		}
	}
	return dataset.Agree(s.rank, s.Write(batch))
}

// A shift is the pebble that takes some rows to the rank that has the beginning of their block.
type shift struct {
	To, First uint64 // rank; place of the first row among those of all ranks
	Rows      []byte
}

// aligned returns this rank's rows from its first whole block on, and those that make its last one whole.
func aligned(r *pebble.Rank, name string, batch []Column) ([]Column, error) {
	counts, err := pebble.AllGather(r, uint64(batch[0].Len()))
	if err != nil {
		return nil, err
	}
	first := uint64(0)
	for _, n := range counts[:r.ID()] {
		first += n
	}
	own := counts[r.ID()]
	leave := min((BlockRows-first%BlockRows)%BlockRows, own)
	if first == 0 && r.ID() > 0 { // rank 0 has the first block, behind what begins the file
		leave = min(BlockRows, own)
	}
	var got []shift
	shifts := target.New(r, "rows of "+name, distribution.Ranks(r.Size()),
		target.Key(func(s shift) uint64 { return s.To }),
		target.Each(func(s shift) { got = append(got, s) }), target.Coded[shift](shiftCodec{}))
	defer shifts.Free()
	err = r.Epoch(func() error {
		const atOnce = 64
		for at := uint64(0); at < leave; at += atOnce {
			rows := appendRows(nil, slicesOf(batch, int(at), int(min(at+atOnce, leave))))
			shifts.Send(shift{holder(counts, first/BlockRows), first + at, rows})
		}
		return nil
	}, pebble.Depth(1), pebble.Named("rows"))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(got, func(a, b shift) int { return cmp.Compare(a.First, b.First) })
	whole := slicesOf(batch, int(leave), int(own))
	if len(got) > 0 {
		for i := range whole {
			whole[i] = whole[i].clone()
		}
	}
	for _, s := range got {
		if err == nil {
			err = takeRows(whole, s.Rows)
		}
	}
	return whole, dataset.Agree(r, err)
}

// holder returns the rank that has the first row of a block. rows are the numbers of rows of all ranks.
func holder(counts []uint64, block uint64) uint64 {
	row := block * BlockRows
	for rank, n := range counts {
		if row < n || block == 0 {
			return uint64(rank)
		}
		row -= n
	}
	return 0
}

func slicesOf(batch []Column, from, to int) (some []Column) {
	for _, c := range batch {
		some = append(some, c.Slice(from, to))
	}
	return some
}

// clone is a column with memory of its own.
func (c Column) clone() Column {
	switch v := c.Values.(type) {
	case []int64:
		c.Values = slices.Clone(v)
	case []uint64:
		c.Values = slices.Clone(v)
	case []float64:
		c.Values = slices.Clone(v)
	case []string:
		c.Values = slices.Clone(v)
	}
	c.Null = slices.Clone(c.Null)
	return c
}

// appendRows appends rows as they travel, column by column.
func appendRows(dst []byte, batch []Column) []byte {
	dst = binary.AppendUvarint(dst, uint64(batch[0].Len()))
	for _, c := range batch {
		switch v := c.Values.(type) {
		case []int64:
			for _, x := range v {
				dst = binary.LittleEndian.AppendUint64(dst, uint64(x))
			}
		case []uint64:
			for _, x := range v {
				dst = binary.LittleEndian.AppendUint64(dst, x)
			}
		case []float64:
			for _, x := range v {
				dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
			}
		case []string:
			for _, x := range v {
				dst = append(binary.AppendUvarint(dst, uint64(len(x))), x...)
			}
		}
		for _, null := range c.Null {
			mark := byte(0)
			if null {
				mark = 1
			}
			dst = append(dst, mark)
		}
	}
	return dst
}

var errShift = errors.New("rows came damaged from another rank")

// takeRows appends rows that have travelled to a batch.
func takeRows(batch []Column, src []byte) error {
	in := reader{src: src}
	rows := in.uvarint()
	for i := range batch {
		c := &batch[i]
		for range rows {
			switch v := c.Values.(type) {
			case []int64:
				c.Values = append(v, int64(in.word()))
			case []uint64:
				c.Values = append(v, in.word())
			case []float64:
				c.Values = append(v, math.Float64frombits(in.word()))
			case []string:
				c.Values = append(v, string(in.bytes(in.uvarint())))
			}
		}
		if c.Null != nil {
			for _, mark := range in.bytes(rows) {
				c.Null = append(c.Null, mark == 1)
			}
		}
	}
	if in.failed || len(in.src) > 0 {
		return errShift
	}
	return nil
}

// reader reads rows that have travelled.
type reader struct {
	src    []byte
	failed bool
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.src)) {
		r.failed = true
		return nil
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b
}

func (r *reader) word() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.src)
	r.bytes(uint64(max(n, 0)))
	r.failed = r.failed || n <= 0
	return v
}

// shiftCodec is the codec of shifts.
type shiftCodec struct{}

// Append implements pebble.Codec.
func (shiftCodec) Append(dst []byte, s shift) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, s.To), s.First)
	return append(dst, s.Rows...), nil
}

// Decode implements pebble.Codec.
func (shiftCodec) Decode(src []byte) (s shift, err error) {
	if len(src) < 16 {
		return s, errShift
	}
	return shift{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:]), slices.Clone(src[16:])}, nil
}

// Schema names the wire format.
func (shiftCodec) Schema() string { return "export shift" }
