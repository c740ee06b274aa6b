package ingest

import "bytes"

// A state is where in a row of a CSV file a byte stands. It is what a rank must know of all bytes before its own: a
// quote begins a field, ends one, or is a mistake, and an end of line ends a row or is part of a field.
type state uint8

const (
	fileBegin  state = iota // before the first byte
	mark1                   // behind one byte of the mark of byte order
	mark2                   // behind two
	fieldBegin              // behind a separator, or the end of a row
	unquoted                // within a field without quotes
	quoted                  // within quotes
	quoteSeen               // behind a quote within quotes: the end of them, or half of a pair
	broken                  // behind a mistake: the row ends with the line, as encoding/csv has it
	states
)

// A dialect is how fields are set apart.
type dialect struct {
	comma  byte
	quotes bool
}

// step is the state behind a byte.
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

// scan is the state behind all bytes of a chunk. It looks at few of them: from quote to quote.
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

// outside is the state before the next quote of a chunk that begins outside of quotes, or at the chunk's end. Only the
// byte before that matters.
func (d dialect) outside(s state, chunk []byte, next int) state {
	if next == 0 {
		return s
	}
	if next < 0 {
		next = len(chunk)
	}
	return d.step(unquoted, chunk[next-1])
}

// A passage is what bytes make of each state.
type passage [states]state

// through is the passage of a chunk after another passage. States that have become one stay one, so after some bytes
// two are left: within quotes and outside.
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

// stay is the passage of no bytes.
func stay() (p passage) {
	for s := range p {
		p[s] = state(s)
	}
	return p
}
