package ingest

import (
	"errors"
	"io"
)

// Lines gives the lines of text files, without their ends: \n, or \r\n. The last line of a file need not have one. A
// byte order mark is left out. A line is valid until the next one. It may have any bytes, even NUL.
//
// A line costs some nanoseconds beside reading, and no allocation.
func Lines() Format[[]byte] {
	return Format[[]byte]{"lines", func(in *input) (reader[[]byte], error) {
		return records[[]byte]{in, func(line []byte) ([]byte, bool, error) { return line, true, nil }}, nil
	}}
}

// LinesOf gives the results of parse for each line, which is as [Lines] gives it. An error of parse is an error with
// file and line, or [Skip] leaves the line out and counts it. All ranks of a process share parse: it must keep neither
// the line nor state between calls.
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

// records reads formats with at most one record in a line.
type records[T any] struct {
	*input
	parse func(line []byte) (v T, ok bool, err error) // ok: the line has a record
}

func (records[T]) prepare() error { return nil }

func (records[T]) finder() finder { return nil }

func (r records[T]) read(p piece, yield func(T) bool) error {
	return r.readStream(p, func(p *part) error { return r.each(p, yield, -1) })
}

// each reads the records of a piece, except the line at offset not.
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

// lines calls each with the lines that begin in the piece, from here on, and with their offsets in the stream.
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

// passLong moves behind a record that is too long, if it may be skipped. It returns other errors unchanged.
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

// ended returns the error that has ended reading: nil at the edge and at the end of the file.
func (p *part) ended() error {
	if p.err == io.EOF {
		return nil
	}
	return p.err
}
