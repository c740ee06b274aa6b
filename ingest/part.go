package ingest

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
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

// counts are what a rank has read.
type counts struct {
	Bytes, Rows, Skipped int64
	first                string // the first record that was skipped
}

// bad deals with a record that cannot be read and begins at an offset of the stream: it returns nil when it is skipped.
func (p *part) bad(at int64, cause error) error {
	p.Skipped++
	if p.Skipped <= p.skip && p.first != "" {
		return nil
	}
	return p.judge(p.blame(at, cause))
}

// blame names the file and the line of an offset of the stream.
func (p *part) blame(at int64, cause error) error {
	return fmt.Errorf("read %s: line %d: %w", p.files[p.piece.file].Name, lineAt(p.files, p.piece, at), cause)
}

// judge returns the error of a record that cannot be read, unless it is skipped.
func (in *input) judge(err error) error {
	if in.first == "" {
		in.first = err.Error()
	}
	switch {
	case in.Skipped <= in.skip:
		return nil
	case in.skip > 0:
		return fmt.Errorf("%w; %d records before it were skipped, and no more may be", err, in.skip)
	}
	return err
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

// A Report is what all ranks have read.
type Report struct {
	Bytes   int64  // of files as they are stored
	Rows    int64  // records that All has given
	Skipped int64  // records, or blocks, that could not be read
	First   string // one of these: file, line or block, and cause
}

// Report adds up what the last loops over All have read. It is collective: all ranks call it between epochs. It fails
// when a rank's source has an error, or when all ranks together have skipped more than Skip allows.
func (s *Source[T]) Report() (Report, error) {
	if err := dataset.Agree(s.in.rank, s.err); err != nil {
		return Report{}, err
	}
	c := s.in.counts
	sums, err := pebble.AllReduce(s.in.rank, [3]int64{c.Bytes, c.Rows, c.Skipped}, func(a, b [3]int64) [3]int64 {
		for i := range a {
			a[i] += b[i]
		}
		return a
	})
	if err != nil {
		return Report{}, err
	}
	firsts, err := pebble.AllGather(s.in.rank, c.first, pebble.Strings{})
	if err != nil {
		return Report{}, err
	}
	report := Report{Bytes: sums[0], Rows: sums[1], Skipped: sums[2]}
	if i := slices.IndexFunc(firsts, func(text string) bool { return text != "" }); i >= 0 {
		report.First = firsts[i]
	}
	if report.Skipped > s.in.skip {
		return report, fmt.Errorf("%s; %d such records were skipped on all ranks, and %d may be", report.First,
			report.Skipped, s.in.skip)
	}
	return report, nil
}
