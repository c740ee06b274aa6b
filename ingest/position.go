package ingest

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// A Position is where a record begins in its file.
type Position struct {
	File   string
	Line   int64 // from 1; 0 in files of blocks
	Offset int64 // bytes before the record, decompressed ones; in files of blocks, those before its block
}

// String is the position as errors tell it.
func (p Position) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: byte %d", p.File, p.Offset)
	}
	return fmt.Sprintf("%s: line %d", p.File, p.Line)
}

// A Positioned is a record of [Positions].
type Positioned[T any] struct {
	Position
	Record T // good as long as the format says
}

// Positions gives the records of a format with their positions, as errors tell them:
//
//	in, err := ingest.Open(r, files, ingest.Positions(ingest.Lines()))
//	for line := range in.All() {
//		matches.Send(match{line.File, line.Line, string(line.Record)})
//	}
//
// The edges of a METIS file have the position of their row. To know lines and bytes before a share, Open has each rank
// count those of files that several ranks read, which reads these shares once more. Files of blocks are not read for
// that: their records have the position of their block (see [Range.Block]).
func Positions[T any](of Format[T]) Format[Positioned[T]] {
	return Format[Positioned[T]]{of.name, func(in *input) (reader[Positioned[T]], error) {
		records, err := of.open(in)
		return positions[T]{in, records}, err
	}}
}

type positions[T any] struct {
	*input
	of reader[T]
}

func (r positions[T]) finder() finder { return r.of.finder() }

func (r positions[T]) uncutOf() func(file) (bool, error) { return uncutOf(r.of) }

func (r positions[T]) prepare() error {
	if r.finder() == nil {
		r.before = map[piece]extent{}
		count := func(p piece) (extent, error) { return r.extent(p, math.MaxInt64) }
		err := passOver(r.input, count, func(p piece, before []extent) {
			for _, e := range before {
				r.before[p] = r.before[p].and(e)
			}
		})
		if err != nil {
			return err
		}
	}
	return r.of.prepare()
}

func (r positions[T]) read(p piece, yield func(Positioned[T]) bool) error {
	return r.of.read(p, func(v T) bool { return yield(Positioned[T]{r.position(), v}) })
}

// An extent is how much text is in a part of a file.
type extent struct{ Lines, Bytes int64 }

func (e extent) and(more extent) extent { return extent{e.Lines + more.Lines, e.Bytes + more.Bytes} }

// position is that of the record that has begun. Where lines have not been counted, the file is read from its
// beginning.
func (p *part) position() Position {
	name, within := p.files[p.piece.file].Name, extent{p.first.lines, p.first.at}
	before, counted := p.before[p.piece]
	if !counted {
		var err error
		if before, err = p.extent(piece{p.piece.file, 0, p.piece.from}, math.MaxInt64); err == nil {
			within, err = p.extent(piece{p.piece.file, p.piece.from, p.files[p.piece.file].Size}, p.first.at)
		}
		if err != nil {
			return Position{File: name}
		}
	}
	at := before.and(within)
	return Position{name, 1 + at.Lines, at.Bytes}
}

// extent is that of a piece, and nothing of what follows it, or of its first bytes.
func (in *input) extent(p piece, most int64) (e extent, err error) {
	if p.from == p.to {
		return e, nil
	}
	s, err := openStream(in.files, p)
	if err != nil {
		return e, err
	}
	defer func() { s.close() }()
	s.then = nil
	limited, buf := io.LimitReader(s, min(most, s.edge)), make([]byte, in.window)
	for {
		n, err := limited.Read(buf)
		e = e.and(extent{int64(bytes.Count(buf[:n], []byte{'\n'})), int64(n)})
		if err == io.EOF {
			return e, nil
		}
		if err != nil {
			return extent{}, err
		}
	}
}
