package ingest

import "bytes"

// sequences reads formats whose records can be recognized from their first lines, whatever precedes them. So all ranks
// agree on records and mistakes, wherever a file is cut. A line where a record should begin, and does not, is a mistake
// of the piece that has the record before it. The mistake extends up to the next record.
type sequences struct {
	*input
	begun func(p *part) begun             // whether a record begins at this line
	next  func(p *part) (Sequence, error) // takes a record; after a badRecord the window is still at it
	stray func(first byte) badRecord      // the mistake of a line where a record should begin
}

// begun is the answer whether a record begins at a line.
type begun int

const (
	notBegun begun = iota
	hasBegun
	longBegun // it has, and exceeds the limit; the window is behind its first lines
)

// A badRecord is the mistake in a record. The window stays at the record.
type badRecord string

func (b badRecord) Error() string { return string(b) }

func (sequences) prepare() error { return nil }

func (sequences) finder() finder { return nil }

func (s sequences) read(p piece, yield func(Sequence) bool) error {
	return s.readStream(p, func(p *part) error { return s.each(p, yield) })
}

func (s sequences) each(p *part, yield func(Sequence) bool) error {
	if !p.start() {
		return p.ended()
	}
	due := p.piece.from == 0 // whether a record should begin here
	for p.skipEmpty(); len(p.peek(1)) > 0; p.skipEmpty() {
		at, mine, first := p.begin(), p.begins(), p.peek(1)[0]
		if !mine && !due {
			return nil
		}
		var v Sequence
		var err error
		switch b := s.begun(p); {
		case b == notBegun && due:
			err = s.stray(first)
		case b == notBegun:
			p.leave(at)
			continue
		case !mine:
			return nil
		case b == longBegun:
			err = errLong
		default:
			v, err = s.next(p)
		}
		if due = err == nil; due {
			if p.Rows++; !yield(v) {
				return errStop
			}
			continue
		}
		if _, ok := err.(badRecord); ok || err == errLong {
			err = p.bad(err)
		}
		if err != nil {
			return err
		}
		p.leave(at)
	}
	return p.ended()
}

// leave moves behind the line at an offset, unless the window has left it already.
func (p *part) leave(at int64) {
	if p.at() == at {
		p.dropLine()
	}
}

// skipEmpty skips empty lines.
func (p *part) skipEmpty() {
	for {
		next := p.peek(2)
		if len(next) == 0 || next[0] != '\n' && string(next) != "\r\n" {
			return
		}
		p.pass(1 + bytes.IndexByte(next, '\n'))
	}
}
