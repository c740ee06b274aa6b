package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Blocks makes a format of files that consist of blocks, each of which can be read by itself: Parquet's row groups, or
// what a program of your own writes. find tells where blocks begin, in ascending order; Open has one rank call it for
// each file. read gives the records of the blocks that begin in a range; it is called by the rank whose range it is. It
// stops when a record is not wanted. Errors of both need not name the file.
//
// An error from read ends the loop, with or without Skip, unless it is a [BlockError]: then the rest of one block
// cannot be read, and read continues with the next block if the loop does. find may return a BlockError, too, with all
// places that it has found; with Skip, read must return it again.
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
	block    *int64
}

// Block says that what read gives from now on is of the block that begins at an offset. [Positions] tells it.
func (r Range) Block(at int64) {
	if r.block != nil {
		*r.block = at
	}
}

// A BlockError says that a block cannot be read, or not to its end, and those behind it can. Skip leaves out the rest
// of that block.
type BlockError struct {
	At  int64 // where the block begins in its file
	Err error
}

// Error implements error.
func (e *BlockError) Error() string { return fmt.Sprintf("the block at byte %d: %v", e.At, e.Err) }

// Unwrap returns the cause.
func (e *BlockError) Unwrap() error { return e.Err }

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
	at := p.from
	b.position = func() Position { return Position{File: a.Name(), Offset: at} }
	for v, err := range b.each(Range{a, a.size, p.from, p.to, b.rowLimit, &at}) {
		if err = b.pass(p.file, a, err); err == errSkipped {
			continue
		} else if err != nil {
			return err
		}
		if b.Rows++; !yield(v) {
			return errStop
		}
	}
	return nil
}

// errSkipped: a block was left out.
var errSkipped = errors.New("skipped")

// pass is errSkipped for the error of a block that is left out, and another error with the file's name.
func (b blocks[T]) pass(file int, a *agreed, err error) error {
	if err == nil {
		return nil
	}
	var block *BlockError
	failed := a.failed.Load()
	switch {
	case failed != nil: // whatever was made of it
		return *failed
	case !errors.As(err, &block):
		return fmt.Errorf("read %s: %w", a.Name(), err)
	}
	return cmp.Or(b.judge(file, func() error { return fmt.Errorf("read %s: %w", a.Name(), err) }), errSkipped)
}
