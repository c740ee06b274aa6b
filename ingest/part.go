package ingest

import "fmt"

// A part is a piece that is being read.
type part struct {
	*window
	*input
	piece piece
}

// skipMark goes behind UTF-8's byte order mark, which some programs write first. The record behind it is this piece's
// even where the piece ends within the mark.
func (p *part) skipMark() {
	if mark := "\xef\xbb\xbf"; string(p.peek(len(mark))) == mark {
		p.pos += len(mark)
		p.edge = max(p.edge, int64(len(mark)))
	}
}

// start goes to the first line that begins in the piece, and reports whether there is one.
func (p *part) start() bool { return p.piece.from == 0 || p.skipLine() }

// bad deals with the record that has begun and cannot be read: it returns nil when it is skipped.
func (p *part) bad(cause error) error {
	return p.judge(p.piece.file, func() error { return p.blame(cause) })
}

// blame names the position of the record that has begun.
func (p *part) blame(cause error) error { return fmt.Errorf("read %v: %w", p.position(), cause) }
