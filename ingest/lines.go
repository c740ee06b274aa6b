package ingest

import (
	"errors"
	"io"
)

// Lines gives the lines of text files, without their ends: \n, or \r\n. The last line of a file need not have one; a
// byte order mark is left out. A line is good until the next one. Bytes may be any, NUL too.
//
// It costs some nanoseconds a line beside reading, and no allocation a line.
func Lines() Format[[]byte] {
	return Format[[]byte]{"lines", func(in *input) (reader[[]byte], error) {
		return records[[]byte]{in, func(line []byte) ([]byte, bool, error) { return line, true, nil }}, nil
	}}
}

// LinesOf gives what parse makes of each line, which is as [Lines] gives it. A line that parse refuses is told with
// file, line and parse's error, or left out and counted by [Skip]. parse is for all ranks of a process at once: it
// keeps neither the line nor anything between two calls.
func LinesOf[T any](parse func(line []byte) (T, error)) Format[T] {
	return Format[T]{"lines", func(in *input) (reader[T], error) {
		if parse == nil {
			return nil, errors.New("ingest.LinesOf has no function: give one")
		}
		return records[T]{in, func(line []byte) (T, bool, error) {
			v, err := parse(line)
			return v, true, err
		}}, nil
	}}
}

// records reads formats that make at most one record of a line.
type records[T any] struct {
	*input
	parse func(line []byte) (v T, ok bool, err error) // ok is whether there is a record
}

func (records[T]) prepare() error { return nil }

func (records[T]) finder() finder { return nil }

func (r records[T]) read(p piece, yield func(T) bool) error {
	return r.readStream(p, func(p *part) error { return r.each(p, yield, -1) })
}

// each reads the records of a piece, but not the line at one offset.
func (r records[T]) each(p *part, yield func(T) bool, not int64) error {
	if !p.start() {
		return p.ended()
	}
	return p.lines(func(line []byte, at int64) error {
		v, ok, err := r.parse(line)
		switch {
		case at == not:
			return nil
		case err != nil:
			return p.bad(err)
		case !ok:
			return nil
		}
		if p.Rows++; !yield(v) {
			return errStop
		}
		return nil
	})
}

// lines hands the lines that begin in a piece, from here on, to a function, with their offsets in the stream.
func (p *part) lines(each func(line []byte, at int64) error) error {
	for p.begins() {
		at := p.begin()
		line, err := p.line()
		if err == nil {
			err = each(line, at)
		} else {
			err = p.passLong(err, dialect{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// passLong goes behind a record that is too long, if it may be skipped. Another error stays.
func (p *part) passLong(err error, d dialect) error {
	if err != errLong {
		return err
	}
	if err := p.bad(err); err != nil {
		return err
	}
	p.dropRow(d)
	return nil
}

// ended is what has ended reading: nil at the edge, and at the end of the file.
func (p *part) ended() error {
	if p.err == io.EOF {
		return nil
	}
	return p.err
}
