package export

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// BlockRows is the maximum number of rows in a table's frame of gzip or zstd, block of Avro, or row group of Parquet.
const BlockRows = 1 << 17

// Announce declares the number of rows that this rank will write to a table. It is collective, between epochs, before
// the first Write. Then blocks begin at the same rows for any number of ranks, so the bytes of one file do not depend
// on it. A rank keeps its rows before the first block that it begins, at most BlockRows. Close sends them to the rank
// that begins their block. Another number of rows is an error of Close.
func Announce(s *Sink[[]Column], rows uint64) error {
	counts, err := pebble.AllGather(s.rank, rows)
	if err != nil || !s.oneFile || s.packing == nil && !s.format.packs {
		return err
	}
	b := &borders{Writer: s.writer, rank: s.rank, counts: counts}
	for _, n := range counts[:s.rank.ID()] {
		b.first += n
	}
	b.leave = min((BlockRows-b.first%BlockRows)%BlockRows, rows)
	if b.first == 0 && s.rank.ID() > 0 { // rank 0 has the first block, behind the beginning of the file
		b.leave = min(BlockRows, rows)
	}
	s.writer, s.complete = b, func() error { return b.settle(s.place.temp) }
	return nil
}

// WriteWhole announces and writes the rows of all ranks. Each rank gives all its rows in one batch. It is collective,
// between epochs, and all ranks get the same error. Call Close next.
func WriteWhole(s *Sink[[]Column], batch []Column) error {
	rows, err := rowsOf(batch)
	if err = dataset.Agree(s.rank, s.blame(err)); err == nil {
		err = Announce(s, uint64(rows))
	}
	if err == nil {
		err = dataset.Agree(s.rank, s.Write(batch))
	}
	return err
}

// borders is a writer that keeps the rows before the first block that its rank begins.
type borders struct {
	Writer[[]Column]
	rank   *pebble.Rank
	counts []uint64 // announced rows of all ranks
	first  uint64   // place of this rank's first row among all rows
	leave  uint64   // rows to keep
	kept   []Column // nil before the first batch
	rows   uint64   // rows written
}

// Write implements Writer.
func (b *borders) Write(batch []Column) error {
	rows, err := rowsOf(batch)
	if err != nil {
		return err
	}
	if b.kept == nil {
		b.kept = emptied(nil, batch)
	}
	n := int(min(uint64(rows), b.leave-min(b.leave, b.rows)))
	b.rows += uint64(rows)
	if err := b.Writer.Write(slicesOf(batch, n, rows)); err != nil || n == 0 { // finds batches that differ
		return err
	}
	for i := range b.kept {
		b.kept[i].append(batch[i].Slice(0, n))
	}
	return nil
}

// check returns an error unless the announced number of rows has been written.
func (b *borders) check() error {
	switch announced := b.counts[b.rank.ID()]; {
	case b.kept == nil:
		return errNoBatch
	case b.rows != announced:
		return fmt.Errorf("%d rows were announced, and %d written: write the announced number", announced, b.rows)
	}
	return nil
}

// settle sends the kept rows to the rank that begins their block, and writes the rows that arrive. It is collective.
func (b *borders) settle(name string) error {
	if err := dataset.Agree(b.rank, b.check()); err != nil {
		return err
	}
	var got []shift
	shifts := target.New(b.rank, "rows of "+name, distribution.Ranks(b.rank.Size()),
		target.Key(func(s shift) uint64 { return s.Rank }),
		target.Each(func(s shift) { got = append(got, s) }), target.Coded[shift](shiftCodec{}))
	defer shifts.Free()
	err := b.rank.Epoch(func() error {
		const atOnce = 64
		for at := uint64(0); at < b.leave; at += atOnce {
			rows := appendRows(nil, slicesOf(b.kept, int(at), int(min(at+atOnce, b.leave))))
			shifts.Send(shift{holder(b.counts, b.first/BlockRows), b.first + at, rows})
		}
		return nil
	}, pebble.Depth(1), pebble.Named("rows"))
	if err != nil {
		return err
	}
	slices.SortFunc(got, func(a, b shift) int { return cmp.Compare(a.First, b.First) })
	rest := emptied(nil, b.kept)
	for _, s := range got {
		err = errors.Join(err, takeRows(rest, s.Data))
	}
	if err == nil {
		err = b.Writer.Write(rest)
	}
	return dataset.Agree(b.rank, err)
}

// holder returns the rank that has the first row of a block. counts has the number of rows of each rank.
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
