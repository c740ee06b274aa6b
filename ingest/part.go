package ingest

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

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

// bad deals with a record that cannot be read and begins at an offset of the stream: it returns nil when it is skipped.
func (p *part) bad(at int64, cause error) error {
	return p.judge(p.piece.file, func() error { return p.blame(at, cause) })
}

// blame names the file and the line of an offset of the stream.
func (p *part) blame(at int64, cause error) error {
	return fmt.Errorf("read %s: line %d: %w", p.files[p.piece.file].Name, lineAt(p.files, p.piece, at), cause)
}

// lineAt is the number of the line that an offset of a piece's stream is in, counted by reading the file from its
// beginning. It is 0 where that fails.
func lineAt(files []file, p piece, at int64) int64 {
	before, err := linesIn(files, piece{p.file, 0, p.from}, math.MaxInt64)
	if err != nil {
		return 0
	}
	within, err := linesIn(files, piece{p.file, p.from, files[p.file].Size}, at)
	if err != nil {
		return 0
	}
	return 1 + before + within
}

// linesIn counts the ends of lines in the first bytes of a piece, and none of what follows it.
func linesIn(files []file, p piece, most int64) (lines int64, err error) {
	if p.from == p.to {
		return 0, nil
	}
	s, err := openStream(files, p)
	if err != nil {
		return 0, err
	}
	defer func() { s.close() }()
	s.then = nil
	limited, buf := io.LimitReader(s, min(most, s.edge)), make([]byte, windowBytes)
	for {
		n, err := limited.Read(buf)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
