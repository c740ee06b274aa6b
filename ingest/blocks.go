package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Blocks makes a format of files that consist of independent blocks, for example Parquet's row groups or a format of
// your own. find returns the offsets of blocks in ascending order; Open calls it on one rank for each file. read gives
// the records of the blocks that begin in a range. The rank that owns the range calls it; it stops when the loop wants
// no more records. Errors of both need not name the file.
//
// An error from read ends the loop, with or without Skip, unless it is a [BlockError]: then the rest of one block
// cannot be read, and read continues with the next block if the loop does. find, too, may return a BlockError, with all
// offsets that it has found; with Skip, read must return that error again.
//
// The file has the size that all ranks have agreed on. Reading fails with an error if the file was truncated since.
func Blocks[T any](name string, find func(f io.ReaderAt, size int64) ([]int64, error),
	read func(r Range) iter.Seq2[T, error]) Format[T] {
	return Format[T]{name, func(in *input) (reader[T], error) { return blocks[T]{in, find, read}, nil }}
}

// A Range is one rank's share of a file of blocks: the blocks that begin at From or later, and before To.
type Range struct {
	File     io.ReaderAt
	Size     int64
	From, To int64
	RowLimit int // see RowLimit
	block    *int64
}

// Block sets the offset of the block that contains the next records. [Positions] reports it.
func (r Range) Block(at int64) {
	if r.block != nil {
		*r.block = at
	}
}

// A BlockError is the error of a block that cannot be read to its end, although later blocks can. Skip leaves out the
// rest of that block.
type BlockError struct {
	At  int64 // offset of the block in its file
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

// errSkipped means that a block was left out.
var errSkipped = errors.New("skipped")

// pass returns errSkipped for the error of a block that is left out, and any other error with the file's name.
func (b blocks[T]) pass(file int, a *agreed, err error) error {
	if err == nil {
		return nil
	}
	var block *BlockError
	failed := a.failed.Load()
	switch {
	case failed != nil: // even if the format has returned another error
		return *failed
	case !errors.As(err, &block):
		return fmt.Errorf("read %s: %w", a.Name(), err)
	}
	return cmp.Or(b.judge(file, func() error { return fmt.Errorf("read %s: %w", a.Name(), err) }), errSkipped)
}
