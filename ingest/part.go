package ingest

import "fmt"

// A part is a piece that is being read.
type part struct {
	*window
	*input
	piece piece
}

// skipMark skips UTF-8's byte order mark, which some programs write first. The record behind it belongs to this piece
// even if the piece ends within the mark.
func (p *part) skipMark() {
	if mark := "\xef\xbb\xbf"; string(p.peek(len(mark))) == mark {
		p.pos += len(mark)
		p.edge = max(p.edge, int64(len(mark)))
	}
}

// start moves to the first line that begins in the piece, and reports whether the piece has one.
func (p *part) start() bool { return p.piece.from == 0 || p.skipLine() }

// bad handles the current record, which cannot be read: it returns nil if the record is skipped.
func (p *part) bad(cause error) error {
	return p.judge(p.piece.file, func() error { return p.blame(cause) })
}

// blame adds the position of the current record to cause.
func (p *part) blame(cause error) error { return fmt.Errorf("read %v: %w", p.position(), cause) }
