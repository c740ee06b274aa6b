package ingest

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// A Position is the beginning of a record in its file.
type Position struct {
	File   string
	Line   int64 // from 1; 0 in files of blocks
	Offset int64 // decompressed bytes before the record; in files of blocks, bytes before its block
}

// String returns the position in the form that errors use.
func (p Position) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: byte %d", p.File, p.Offset)
	}
	return fmt.Sprintf("%s: line %d", p.File, p.Line)
}

// A Positioned is a record of [Positions].
type Positioned[T any] struct {
	Position
	Record T // valid as long as the format says
}

// Positions gives the records of a format with their positions, which errors use too:
//
//	in, err := ingest.Open(r, files, ingest.Positions(ingest.Lines()))
//	for line := range in.All() {
//		matches.Send(match{line.File, line.Line, string(line.Record)})
//	}
//
// The edges of a METIS file have the position of their row. For the number of lines and bytes before a share, Open
// counts those of files that several ranks read, so these shares are read once more. Files of blocks are not counted:
// their records have the position of their block (see [Range.Block]).
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

// An extent is the amount of text in a part of a file.
type extent struct{ Lines, Bytes int64 }

func (e extent) and(more extent) extent { return extent{e.Lines + more.Lines, e.Bytes + more.Bytes} }

// position returns the position of the current record. If lines have not been counted, it reads the file from its
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

// extent returns the extent of the first bytes of a piece, at most most, and of nothing behind the piece.
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
