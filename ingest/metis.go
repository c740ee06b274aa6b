package ingest

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/internal/dataset"
)

// metis reads METIS files. A line's number among the lines that are not comments is its vertex, so ranks count lines
// before they read them.
type metis struct {
	*input
	headers map[int]metisHeader // of the files that this rank reads
	before  map[piece]uint64    // number of lines before this rank's pieces, without comments
}

// A metisHeader is the first line of a METIS file.
type metisHeader struct {
	vertices uint64
	edges    uint64
	prefix   uint64 // number of weights and sizes of a vertex, before its neighbours
	weighted bool   // a weight follows each neighbour
	line     uint64 // its number among the lines that are not comments, from 1
}

func (m *metis) head(file int) edgeHead {
	h := m.headers[file]
	values := 0
	if h.weighted {
		values = 1
	}
	return edgeHead{
		Vertices: h.vertices, Edges: h.edges, Counted: true, Numbered: true, Values: values, Weighs: h.prefix > 0, Of: METIS,
	}
}

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

// metisHead is the form of the header, for errors.
const metisHead = "VERTICES EDGES [FORMAT [WEIGHTS]]"

// headed returns an error for empty files, in formats that begin with a header.
func (in *input) headed(format string) error {
	for _, f := range in.files {
		if f.Size == 0 {
			return fmt.Errorf("read %s: %w", f.Name, errNoHeader(format))
		}
	}
	return nil
}

func errNoHeader(format string) error {
	return fmt.Errorf("the file is empty; expected the header of a %s file: write it again, or leave it out", format)
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
		err = fmt.Errorf("read %s: the file ends before the header %q: it is truncated; fetch it again",
			m.files[file].Name, metisHead)
	}
	return h, err
}

// parse reads VERTICES EDGES [FORMAT [WEIGHTS]]. The three digits of FORMAT are flags: vertices have sizes, vertices
// have weights, edges have weights. WEIGHTS is the number of weights of a vertex.
func (h *metisHeader) parse(line []byte) error {
	var numbers [4]uint64 // vertices, edges, format, weights
	n := 0
	for ; n < len(numbers) && len(line) > 0; n++ {
		var err error
		if numbers[n], line, err = vertex(line); err != nil {
			return fmt.Errorf("the header %q: %w", metisHead, err)
		}
	}
	if n < 2 || len(line) > 0 {
		return fmt.Errorf("expected the header %q, which has 2 to 4 numbers: name the file's format", metisHead)
	}
	if n < 4 {
		numbers[3] = 1
	}
	format := numbers[2]
	sizes, weights, weighted := format/100, format/10%10, format%10
	if sizes > 1 || weights > 1 || weighted > 1 {
		return fmt.Errorf("the weight format in the header is %d; expected three digits 0 or 1", format)
	}
	h.vertices, h.edges, h.weighted = numbers[0], numbers[1], weighted == 1
	if numbers[3] > math.MaxInt32 || h.vertices > verticesMax {
		return fmt.Errorf("the header has %d vertices with %d weights each, which is too many", h.vertices, numbers[3])
	}
	h.prefix = sizes + weights*numbers[3]
	return nil
}

// skipComments skips lines that begin with %, and reports whether another line begins in the piece.
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

// count returns the number of lines of a piece that are not comments.
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
				err = rowOf(p, metisRow{h, line - h.line, text, m.missing}.each, yield)
			}
			if err != nil {
				return err
			}
		}
		if err := p.ended(); err != nil || p.piece.to < m.files[p.piece.file].Size || line-h.line >= h.vertices {
			return err
		}
		return fmt.Errorf("read %s: the header has %d vertices, the file ends after %d rows: it is truncated; fetch it "+
			"again", m.files[p.piece.file].Name, h.vertices, line-h.line)
	})
}

// A metisRow is the row of one vertex.
type metisRow struct {
	metisHeader
	of      uint64
	text    []byte
	missing float64 // the weight of an edge without one
}

// each calls yield with the edges of a row. It returns errStop when yield returns false.
func (r metisRow) each(yield func(Edge) bool) (err error) {
	text := blanks(r.text)
	if r.of > r.vertices {
		if len(text) == 0 {
			return nil
		}
		return fmt.Errorf("row %d is one too many: the header has %d vertices", r.of, r.vertices)
	}
	for range r.prefix {
		if _, text, err = weight(text); err != nil {
			return fmt.Errorf("the weight or size of a vertex: %w", err)
		}
	}
	for len(text) > 0 {
		e := Edge{From: r.of, Weight: r.missing}
		if e.To, text, err = vertex(text); err != nil {
			return err
		}
		if e.To == 0 || e.To > r.vertices {
			return errNotNumbered(e.To, r.vertices)
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

// errNotNumbered returns the error of a vertex outside of the header's range.
func errNotNumbered(v, vertices uint64) error {
	return fmt.Errorf("vertex %d is out of range: the header has vertices 1 to %d", v, vertices)
}
