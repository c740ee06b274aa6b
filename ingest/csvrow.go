package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
)

// row takes the next row with its end, and reports whether it has quotes. Its errors are those of take. Here empty
// lines are rows.
func (w *window) row(d dialect) (row []byte, quotes bool, err error) {
	s, begun := fieldBegin, 0 // the state at the beginning of the current line
	row, err = w.take(func(b []byte, seen int) int {
		for {
			n := lineEnd(b, seen)
			if n == 0 {
				return 0
			}
			line := b[begun:n]
			if d.quotes && (quotes || bytes.IndexByte(line, '"') >= 0) {
				s, quotes = d.scan(s, line), true
			}
			if s != quoted {
				return n
			}
			begun, seen = n, n
		}
	})
	return row, d.quotes && (quotes || bytes.IndexByte(row[min(begun, len(row)):], '"') >= 0), err
}

// rows calls a function with the rows that begin in a piece, without their ends.
func (p *part) rows(d dialect, each func(row []byte, quotes bool) error) error {
	for p.begins() {
		p.begin()
		row, quotes, err := p.row(d)
		if err == nil {
			err = each(chomp(row), quotes)
		} else {
			err = p.passLong(err, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// skipRow moves behind the end of the current row, and reports whether it got there before stop returned true. s is the
// state at the next byte.
func (w *window) skipRow(d dialect, s state, stop func() bool) bool {
	for !stop() {
		rest := w.buf[w.pos:w.end]
		i := bytes.IndexByte(rest, '\n')
		if i >= 0 {
			rest = rest[:i+1]
		}
		s = d.scan(s, rest)
		w.pass(len(rest))
		if i >= 0 && s == fieldBegin {
			return !stop()
		}
		if i < 0 && !stop() && w.fill() != nil {
			return false
		}
	}
	return false
}

// dropRow moves behind the row that begins here, even if that is behind the piece.
func (w *window) dropRow(d dialect) {
	if d.quotes {
		w.skipRow(d, fieldBegin, func() bool { return false })
	} else {
		w.dropLine()
	}
}

// errControl: RFC 4180 has no control characters outside of quotes (section 2, TEXTDATA). A tab is accepted.
var errControl = errors.New("a field without quotes has a control character, such as NUL or a lone carriage return: " +
	"put it in quotes, or end lines with \\n or \\r\\n")

// split splits a row without its end into fields. It changes the row: pairs of quotes become one.
func (d dialect) split(row []byte, quotes bool, fields [][]byte) ([][]byte, error) {
	clean := !d.quotes // no control character is outside of quotes, or they are allowed there
	if !clean && !quotes && d.comma >= ' ' {
		if clean = !controls(row); !clean {
			return fields, errControl
		}
	}
	for {
		if quotes && len(row) > 0 && row[0] == '"' {
			field, rest, err := d.unquote(row)
			if fields = append(fields, field); err != nil || rest == nil {
				return fields, err
			}
			row = rest
			continue
		}
		i := bytes.IndexByte(row, d.comma)
		field := row
		if i >= 0 {
			field = row[:i]
		}
		fields = append(fields, field)
		if quotes && bytes.IndexByte(field, '"') >= 0 {
			return fields, csv.ErrBareQuote
		}
		if !clean && controls(field) {
			return fields, errControl
		}
		if i < 0 {
			return fields, nil
		}
		row = row[i+1:]
	}
}

// unquote takes a quoted field from the front of a row. rest follows the separator; nil means that none follows.
func (d dialect) unquote(row []byte) (field, rest []byte, err error) {
	n, at := 0, 1 // bytes of the field, which move to the front; bytes that have been examined
	for {
		i := bytes.IndexByte(row[at:], '"')
		if i < 0 {
			return nil, nil, csv.ErrQuote
		}
		n += copy(row[n:], row[at:at+i])
		at += i + 1
		switch {
		case at == len(row):
			return row[:n], nil, nil
		case row[at] == d.comma:
			return row[:n], row[at+1:], nil
		case row[at] != '"':
			return nil, nil, csv.ErrQuote
		}
		row[n] = '"'
		n++
		at++
	}
}
