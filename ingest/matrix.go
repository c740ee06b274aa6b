package ingest

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/activepebbles/pebbles/internal/dataset"
)

// matrix reads Matrix Market files. The line of the sizes looks like an edge, so whoever begins before it must know
// where it is.
type matrix struct {
	records[Edge]
	sizes map[piece]int64 // where the sizes begin in the stream of a piece that they begin in or behind
}

// prepare finds the sizes in the files that this rank reads. It is collective.
func (m *matrix) prepare() error {
	m.sizes = map[piece]int64{}
	err := m.headed("Matrix Market")
	if err == nil {
		err = m.findAll()
	}
	return dataset.Agree(m.rank, err)
}

func (m *matrix) findAll() error {
	known := map[int]int64{}
	for _, p := range m.mine() {
		at, ok := known[p.file]
		if !ok {
			var err error
			if at, err = m.find(p.file); err != nil {
				return fmt.Errorf("read %s: %w", m.files[p.file].Name, err)
			}
			known[p.file] = at
		}
		before, err := m.upTo(p, at)
		if err != nil {
			return err
		}
		if before <= at {
			m.sizes[p] = at - before
		}
	}
	return nil
}

// find is where the sizes of a file begin.
func (m *matrix) find(file int) (at int64, err error) {
	const wanted = "where %%%%MatrixMarket matrix coordinate is wanted: name the file's format"
	at = math.MaxInt64 // there are none: what is there are comments
	err = m.readStream(piece{file, 0, m.files[file].Size}, func(p *part) error {
		head, err := p.line()
		if err != nil {
			return err
		}
		words := bytes.Fields(bytes.ToLower(head))
		if len(words) < 3 || string(words[0]) != "%%matrixmarket" || string(words[2]) != "coordinate" {
			return fmt.Errorf("line 1: found %.40q "+wanted, head)
		}
		return p.lines(func(line []byte, begins int64) error {
			if line = blanks(line); len(line) == 0 || line[0] == '%' {
				return nil
			}
			at = begins
			return errStop
		})
	})
	if err == errStop {
		err = nil
	}
	return at, err
}

// upTo is how many uncompressed bytes of the file are before a piece: any number above most when they are more than
// that.
func (m *matrix) upTo(p piece, most int64) (int64, error) {
	if p.from == 0 {
		return 0, nil
	}
	s, err := openStream(m.files, piece{p.file, 0, p.from})
	if err != nil {
		return 0, err
	}
	defer func() { s.close() }()
	s.then = nil
	return io.Copy(io.Discard, io.LimitReader(s, min(s.edge, most+1)))
}

func (m *matrix) read(p piece, yield func(Edge) bool) error {
	sizes, within := m.sizes[p]
	if !within {
		sizes = -1
	}
	return m.readStream(p, func(p *part) error { return m.each(p, yield, sizes) })
}
