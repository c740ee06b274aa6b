package table

import (
	"io"
	"iter"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// file is a file of blocks.
type file = io.ReaderAt

// first returns a function's text for the first file, on all ranks. It is collective.
func first(r *pebble.Rank, files []string, format string, of func(f file, size int64) (string, error)) (string, error) {
	var text string
	looked := false // on rank 0, the first of its files is the first of all
	_, err := ingest.Open(r, files, ingest.Blocks(format, func(f file, size int64) (_ []int64, err error) {
		if r.ID() == 0 && !looked {
			text, err = of(f, size)
		}
		looked = true
		return nil, err
	}, func(ingest.Range) iter.Seq2[struct{}, error] {
		return func(func(struct{}, error) bool) {}
	}), ingest.Unchecked())
	if err != nil {
		return "", err
	}
	return pebble.Broadcast(r, 0, text, pebble.Strings{})
}
