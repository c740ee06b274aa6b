package ingest

import (
	"fmt"
	"io"
	"iter"
)

// Blocks makes a format of files that consist of blocks, each of which can be read by itself: Parquet's row groups, or
// what a program of your own writes. find tells where blocks begin, in ascending order; Open has one rank call it for
// each file. read gives the records of the blocks that begin in a range; it is called by the rank whose range it is. It
// stops when a record is not wanted. What it returns as an error ends the loop, whatever Skip says, because what
// follows in the block is lost. Errors of both need not name the file.
//
// The file has the size that all ranks have agreed on, and says so where it was cut since.
func Blocks[T any](name string, find func(f io.ReaderAt, size int64) ([]int64, error),
	read func(r Range) iter.Seq2[T, error]) Format[T] {
	return Format[T]{name, func(in *input) (reader[T], error) { return blocks[T]{in, find, read}, nil }}
}

// A Range is what a rank reads of a file of blocks: those that begin at From or behind it, and before To.
type Range struct {
	File     io.ReaderAt
	Size     int64
	From, To int64
	RowLimit int // see RowLimit
}

type blocks[T any] struct {
	*input
	find finder
	each func(r Range) iter.Seq2[T, error]
}

func (blocks[T]) prepare() error { return nil }

func (b blocks[T]) finder() finder { return b.find }

func (b blocks[T]) read(p piece, yield func(T) bool) error {
	a, err := openAgreed(b.files[p.file])
	if err != nil {
		return err
	}
	defer a.Close()
	for v, err := range b.each(Range{a, a.size, p.from, p.to, b.rowLimit}) {
		if err != nil {
			return fmt.Errorf("read %s: %w", a.Name(), err)
		}
		if b.Rows++; !yield(v) {
			return errStop
		}
	}
	return nil
}
