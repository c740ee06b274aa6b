package ingest

import "bytes"

// A state is the position of a byte within a row of a CSV file. It sums up all bytes before: it decides if a quote
// begins a field, ends one or is a mistake, and if an end of line ends a row or is part of a field.
type state uint8

const (
	fileBegin  state = iota // before the first byte
	mark1                   // behind one byte of the byte order mark
	mark2                   // behind two
	fieldBegin              // behind a separator, or the end of a row
	unquoted                // within a field without quotes
	quoted                  // within quotes
	quoteSeen               // behind a quote within quotes: their end, or half of a pair
	broken                  // behind a mistake: the row ends with the line, as in encoding/csv
	states
)

// A dialect is the syntax of fields.
type dialect struct {
	comma  byte
	quotes bool
}

// step returns the state behind a byte.
func (d dialect) step(s state, b byte) state {
	switch {
	case s == fileBegin && b == 0xef:
		return mark1
	case s == mark1 && b == 0xbb:
		return mark2
	case s == mark2 && b == 0xbf:
		return fieldBegin
	case s == quoted && b != '"':
		return quoted
	case s == quoted:
		return quoteSeen
	case b == '\n':
		return fieldBegin
	case s == broken:
		return broken
	case b == d.comma:
		return fieldBegin
	case b == '"' && (s == fileBegin || s == fieldBegin || s == quoteSeen):
		return quoted
	case b == '"' || s == quoteSeen:
		return broken
	}
	return unquoted
}

// scan returns the state behind all bytes of a chunk. It skips from quote to quote.
func (d dialect) scan(s state, chunk []byte) state {
	for len(chunk) > 0 {
		next := 0
		switch s {
		case quoted:
			next = bytes.IndexByte(chunk, '"')
		case broken:
			next = bytes.IndexByte(chunk, '\n')
		case fieldBegin, unquoted:
			next = bytes.IndexByte(chunk, '"')
			s = d.outside(s, chunk, next)
		}
		if next < 0 {
			return s
		}
		s, chunk = d.step(s, chunk[next]), chunk[next+1:]
	}
	return s
}

// outside returns the state before the next quote of a chunk that begins outside of quotes, or at the chunk's end. Only
// the byte before that place matters.
func (d dialect) outside(s state, chunk []byte, next int) state {
	if next == 0 {
		return s
	}
	if next < 0 {
		next = len(chunk)
	}
	return d.step(unquoted, chunk[next-1])
}

// A passage maps the state before some bytes to the state behind them.
type passage [states]state

// through returns the passage of p and a chunk behind it. States that have merged stay merged, so after some bytes two
// are left: within quotes and outside.
func (d dialect) through(p passage, chunk []byte) passage {
	var done [states]bool
	var after [states]state
	for from, s := range p {
		if !done[s] {
			after[s], done[s] = d.scan(s, chunk), true
		}
		p[from] = after[s]
	}
	return p
}

// stay returns the passage of no bytes.
func stay() (p passage) {
	for s := range p {
		p[s] = state(s)
	}
	return p
}
