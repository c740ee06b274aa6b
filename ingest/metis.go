package ingest

import (
	"errors"
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/internal/dataset"
)

// metis reads METIS files: the line of a vertex has its number among those that are no comments, so ranks count lines
// before they read them.
type metis struct {
	*input
	headers map[int]metisHeader // of the files that this rank reads
	before  map[piece]uint64    // lines that are no comments, before this rank's pieces
}

// A metisHeader is the first line of a METIS file.
type metisHeader struct {
	vertices uint64
	prefix   uint64 // weights and sizes of a vertex, which stand before its neighbours
	weighted bool   // whether a weight follows each neighbour
	line     uint64 // its number among the lines that are no comments, from 1
}

func (*metis) finder() finder { return nil }

// prepare reads the headers of this rank's files, and counts lines. It is collective.
func (m *metis) prepare() error {
	m.headers, m.before = map[int]metisHeader{}, map[piece]uint64{}
	err := m.headed("METIS")
	for _, p := range m.mine() {
		if _, known := m.headers[p.file]; !known && err == nil {
			m.headers[p.file], err = m.header(p.file)
		}
	}
	if err := dataset.Agree(m.rank, err); err != nil {
		return err
	}
	return passOver(m.input, m.count, func(p piece, before []uint64) {
		for _, lines := range before {
			m.before[p] += lines
		}
	})
}

// headed refuses files without a byte, in formats that begin with a header.
func (in *input) headed(format string) error {
	for _, f := range in.files {
		if f.Size == 0 {
			return fmt.Errorf("read %s: %w", f.Name, errNoHeader(format))
		}
	}
	return nil
}

func errNoHeader(format string) error {
	return fmt.Errorf("the file is empty, where the header of a %s file is wanted: write it again, or leave it out",
		format)
}

// header reads the header of a file.
func (m *metis) header(file int) (h metisHeader, err error) {
	err = m.readStream(piece{file, 0, m.files[file].Size}, func(p *part) error {
		for more := p.start() && p.skipComments(); more; more = p.skipComments() {
			p.begin()
			line, err := p.line()
			if err == errLong {
				return p.blame(err)
			} else if err != nil {
				return err
			}
			if h.line++; len(blanks(line)) == 0 || blanks(line)[0] == '%' {
				continue
			}
			if err := h.parse(blanks(line)); err != nil {
				return p.blame(err)
			}
			return errStop
		}
		return p.ended()
	})
	switch err {
	case errStop:
		err = nil
	case nil:
		err = fmt.Errorf("read %s: the file ends before the header VERTICES EDGES [FORMAT [WEIGHTS]]: write it again",
			m.files[file].Name)
	}
	return h, err
}

// parse reads VERTICES EDGES [FORMAT [WEIGHTS]]. The three digits of FORMAT say whether vertices have sizes, vertices
// have weights, as many as WEIGHTS says, and edges have weights.
func (h *metisHeader) parse(line []byte) error {
	var numbers [4]uint64 // vertices, edges, format, weights
	n := 0
	for ; n < len(numbers) && len(line) > 0; n++ {
		var err error
		if numbers[n], line, err = vertex(line); err != nil {
			return fmt.Errorf("the header of a METIS file, VERTICES EDGES [FORMAT [WEIGHTS]]: %w", err)
		}
	}
	if n < 2 || len(line) > 0 {
		return errors.New("the header of a METIS file is wanted, VERTICES EDGES [FORMAT [WEIGHTS]], which has 2 to 4 " +
			"numbers: name the file's format")
	}
	if n < 4 {
		numbers[3] = 1
	}
	format := numbers[2]
	sizes, weights, weighted := format/100, format/10%10, format%10
	if sizes > 1 || weights > 1 || weighted > 1 {
		return fmt.Errorf("the header says the format of weights %d, where three digits 0 or 1 are wanted: write it "+
			"again", format)
	}
	h.vertices, h.weighted = numbers[0], weighted == 1
	if numbers[3] > math.MaxInt32 {
		return fmt.Errorf("the header says %d weights a vertex: write it again", numbers[3])
	}
	h.prefix = sizes + weights*numbers[3]
	return nil
}

// skipComments goes behind lines that begin with %, and reports whether another line begins in the piece.
func (p *part) skipComments() bool {
	for p.begins() {
		first := p.peek(1)
		if len(first) == 0 || first[0] != '%' {
			return len(first) > 0
		}
		p.dropLine()
	}
	return false
}

// count counts the lines of a piece that are no comments.
func (m *metis) count(p piece) (lines uint64, err error) {
	err = m.readStream(p, func(p *part) error {
		for more := p.start() && p.skipComments(); more; more = p.skipComments() {
			lines++
			p.dropLine()
		}
		return p.ended()
	})
	return lines, err
}

func (m *metis) read(p piece, yield func(Edge) bool) error {
	h, line := m.headers[p.file], m.before[p]
	return m.readStream(p, func(p *part) error {
		for more := p.start() && p.skipComments(); more; more = p.skipComments() {
			p.begin()
			text, err := p.line()
			if line++; err != nil {
				err = p.passLong(err, dialect{})
			} else if line > h.line {
				err = m.row(p, metisRow{h, line - h.line, text}, yield)
			}
			if err != nil {
				return err
			}
		}
		if err := p.ended(); err != nil || p.piece.to < m.files[p.piece.file].Size || line-h.line >= h.vertices {
			return err
		}
		return fmt.Errorf("read %s: the header tells %d vertices, but the file ends after %d rows: it is cut short, "+
			"write it again", m.files[p.piece.file].Name, h.vertices, line-h.line)
	})
}

// row gives the edges of a row: all of them, or those before the first mistake
// where that ends the job.
func (m *metis) row(p *part, row metisRow, yield func(Edge) bool) error {
	if m.skip > 0 {
		if err := row.each(func(Edge) bool { return true }); err != nil {
			return p.bad(err)
		}
	}
	err := row.each(func(e Edge) bool { p.Rows++; return yield(e) })
	if err != nil && err != errStop {
		return p.bad(err)
	}
	return err
}

// A metisRow is the row of one vertex.
type metisRow struct {
	metisHeader
	of   uint64
	text []byte
}

// each calls yield with the edges of a row until it wants no more, which is errStop.
func (r metisRow) each(yield func(Edge) bool) (err error) {
	text := blanks(r.text)
	if r.of > r.vertices {
		if len(text) == 0 {
			return nil
		}
		return fmt.Errorf("found a row for vertex %d, but the header tells %d vertices: write the file again", r.of,
			r.vertices)
	}
	for range r.prefix {
		if _, text, err = weight(text); err != nil {
			return fmt.Errorf("the weight or size of a vertex: %w", err)
		}
	}
	for len(text) > 0 {
		e := Edge{From: r.of, Weight: 1}
		if e.To, text, err = vertex(text); err != nil {
			return err
		}
		if e.To == 0 || e.To > r.vertices {
			return fmt.Errorf("vertex %d is not one of 1 to %d, which the header tells", e.To, r.vertices)
		}
		if r.weighted {
			if e.Weight, text, err = weight(text); err != nil {
				return err
			}
		}
		if !yield(e) {
			return errStop
		}
	}
	return nil
}
