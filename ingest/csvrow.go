package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
)

// row takes the next row with its end, and tells whether it has quotes. Errors are those of take. Empty lines are rows
// here.
func (w *window) row(d dialect) (row []byte, quotes bool, err error) {
	s, begun := fieldBegin, 0 // the state at the begin of the line that is looked at
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

// rows hands the rows that begin in a piece to a function, without their ends.
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

// skipRow goes behind the end of the row that it is in, and reports whether it got there before the stop. s is the
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

// dropRow goes behind the row that begins here, whoever's the next one is.
func (w *window) dropRow(d dialect) {
	if d.quotes {
		w.skipRow(d, fieldBegin, func() bool { return false })
	} else {
		w.dropLine()
	}
}

// errControl: RFC 4180 has no control characters outside of quotes (section 2, TEXTDATA). A tab is taken.
var errControl = errors.New("a field without quotes has a control character, such as NUL or a lone carriage return: " +
	"put it in quotes, or end lines with \\n or \\r\\n")

// split sets the fields of a row apart, without its end. It changes the row: pairs of quotes become one.
func (d dialect) split(row []byte, quotes bool, fields [][]byte) ([][]byte, error) {
	clean := !d.quotes // of control characters outside of quotes, or they may stand there
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

// unquote takes a field in quotes from the front of a row. rest is what follows the separator, nil when none does.
func (d dialect) unquote(row []byte) (field, rest []byte, err error) {
	n, at := 0, 1 // bytes of the field, which are moved to the front; what has been looked at
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
