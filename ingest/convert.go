package ingest

import (
	"cmp"
	"fmt"
)

// A Place orders the records of files: by the number of the file, then by their order in it. Places compare like
// arrays. The order of two records does not depend on the number of ranks that read their file.
type Place struct {
	File   int
	From   int64 // beginning of the record's share in its file
	Record int64 // number of the record in that share, from 0; skipped records count
}

// Convert gives the results of a function of each record of another format and its place. An error of the function is
// an error with file and line, or [Skip] leaves the record out and counts it. The function must not keep memory that
// the other format reuses.
func Convert[T, U any](of Format[T], to func(at Place, v T) (U, error)) Format[U] {
	return Format[U]{of.name, func(in *input) (reader[U], error) {
		records, err := of.open(in)
		return converted[T, U]{in, records, to}, err
	}}
}

type converted[T, U any] struct {
	*input
	of reader[T]
	to func(at Place, v T) (U, error)
}

func (c converted[T, U]) prepare() error { return c.of.prepare() }

func (c converted[T, U]) finder() finder { return c.of.finder() }

func (c converted[T, U]) uncutOf() func(file) (bool, error) { return uncutOf(c.of) }

func (c converted[T, U]) read(p piece, yield func(U) bool) error {
	var refused error
	at := Place{File: p.file, From: p.from, Record: -1}
	err := c.of.read(p, func(v T) bool {
		at.Record++
		made, err := c.to(at, v)
		if err == nil {
			return yield(made)
		}
		c.Rows--
		refused = c.judge(p.file, func() error { return fmt.Errorf("read %v: %w", c.position(), err) })
		return refused == nil
	})
	return cmp.Or(refused, err)
}
