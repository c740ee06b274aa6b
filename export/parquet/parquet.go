package parquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/activepebbles/pebbles/export"
)

// GroupRows is the number of rows in a row group. Files are cut between row groups.
const GroupRows = export.BlockRows

// Rows writes structs of type T to Parquet files, one per rank, with pages compressed by zstd. The names and types of
// columns are those of parquet-go. A rank holds the pages of one row group in memory.
func Rows[T any]() export.Format[T] {
	return export.Parts("parquet", func(w io.Writer) (of export.Writer[T], err error) {
		defer func() {
			if p := recover(); p != nil { // the library panics for a type without a schema
				err = fmt.Errorf("no Parquet schema for %T: %v", *new(T), p)
			}
		}()
		to := parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(GroupRows))
		return &writer[T]{to: to}, nil
	})
}

// writer collects rows in batches.
type writer[T any] struct {
	to    *parquet.GenericWriter[T]
	batch []T
}

// batchRows is the number of rows written at a time.
const batchRows = 128

// Write implements export.Writer.
func (w *writer[T]) Write(v T) error {
	if w.batch = append(w.batch, v); len(w.batch) < batchRows {
		return nil
	}
	return w.flush()
}

func (w *writer[T]) flush() error {
	_, err := w.to.Write(w.batch)
	clear(w.batch)
	w.batch = w.batch[:0]
	return err
}

// Close implements export.Writer.
func (w *writer[T]) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.to.Close()
}
