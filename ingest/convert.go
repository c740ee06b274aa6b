package ingest

import (
	"cmp"
	"fmt"
)

// A Place orders the records of files: by the file's number, then as they are in it. Places are compared as arrays are.
// The places of two records of a file compare alike however many ranks read it.
type Place struct {
	File   int
	From   int64 // where the share that has the record begins in its file
	Record int64 // of that share, from 0; records that are left out count
}

// Convert gives what a function makes of each record of another format, and of its place. A record that the function
// refuses is told with file, line and the function's error, or left out and counted by [Skip]. The function may keep
// nothing that the other format reuses.
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
