package ingest

import (
	"fmt"
	"io"
	"strings"

	"github.com/activepebbles/pebbles/internal/dataset"
)

// An edgeHead is the content of a file's header. Ranks exchange it.
type edgeHead struct {
	Vertices, Edges uint64
	Counted         bool // the header has the number of edges
	Numbered        bool // vertices are 1 to Vertices
	Directed        bool
	Weighs          bool   // vertices have weights or sizes
	Arcs            bool   // the line of an edge begins with an a
	Values          int    // numbers behind the two ends of an edge; anyValues if the header does not say
	Symmetry        string // of a matrix
	Of              EdgeFormat
}

// anyValues means that an edge may have a weight.
const anyValues = -1

// edgeComment is the set of first bytes of comments in edge lists and adjacency lists.
const edgeComment = "#%"

// A lineFormat is a format with at most one edge in a line.
type lineFormat struct {
	name string
	// header reads line n of the file, from 0, into a head, and reports whether the header ends there. header is nil if
	// only comments can precede the edges.
	header func(h *edgeHead, line []byte, n int) (done bool, err error)
	// wanted is the header, for the error of a file without one; empty if the header is optional.
	wanted  string
	comment string // first bytes of comments
	isLine  bool   // the last line of the header is not a comment
}

var lineFormats = map[EdgeFormat]lineFormat{
	EdgeList: {header: listHeader, comment: edgeComment},
	PACE:     {name: "PACE", header: paceHeader, wanted: "p tw VERTICES EDGES", comment: "c", isLine: true},
	MatrixMarket: {
		name: "Matrix Market", header: matrixHeader, wanted: "ROWS COLUMNS ENTRIES", comment: "%", isLine: true,
	},
}

// edgeLines reads formats with at most one edge in a line. The last line of a header may look like an edge, so ranks
// with a piece that begins before it need its offset.
type edgeLines struct {
	*input
	lineFormat
	heads  map[int]edgeHead
	header map[piece]int64 // offset of that line in the stream of a piece
}

func (e *edgeLines) head(file int) edgeHead { return e.heads[file] }

// prepare reads the headers of the files that this rank reads. It is collective.
func (e *edgeLines) prepare() error {
	e.heads, e.header = map[int]edgeHead{}, map[piece]int64{}
	var err error
	if e.wanted != "" {
		err = e.headed(e.name)
	}
	if err == nil {
		err = e.readHeads()
	}
	return dataset.Agree(e.rank, err)
}

func (e *edgeLines) readHeads() error {
	places := map[int]int64{}
	for _, p := range e.mine() {
		if _, known := e.heads[p.file]; !known {
			h, at, err := e.readHead(p.file)
			if err != nil {
				return err
			}
			e.heads[p.file], places[p.file] = h, at
		}
		before, err := e.upTo(p, places[p.file])
		if err != nil {
			return err
		}
		if e.header[p] = -1; e.isLine && before <= places[p.file] {
			e.header[p] = places[p.file] - before
		}
	}
	return nil
}

// readHead reads the header of a file, and returns the offset of its last line.
func (e *edgeLines) readHead(file int) (h edgeHead, at int64, err error) {
	h = edgeHead{Values: anyValues, Directed: true, Of: EdgeList}
	n := 0
	err = e.readStream(piece{file, 0, e.files[file].Size}, func(p *part) error {
		return p.lines(func(line []byte, begins int64) error {
			done, err := e.lineFormat.header(&h, blanks(line), n)
			at = begins
			switch n++; {
			case err != nil:
				return p.blame(err)
			case done:
				return errStop
			}
			return nil
		})
	})
	if err == errStop || err == nil && e.wanted == "" {
		return h, at, nil
	}
	if err == nil {
		err = fmt.Errorf("read %s: the file ends before the header %q: it is truncated; fetch it again",
			e.files[file].Name, e.wanted)
	}
	return h, at, err
}

// upTo returns the number of uncompressed bytes of the file before a piece, or a number above most if there are more.
func (e *edgeLines) upTo(p piece, most int64) (int64, error) {
	if p.from == 0 {
		return 0, nil
	}
	s, err := openStream(e.files, piece{p.file, 0, p.from})
	if err != nil {
		return 0, err
	}
	defer func() { s.close() }()
	s.then = nil
	return io.Copy(io.Discard, io.LimitReader(s, min(s.edge, most+1)))
}

func (e *edgeLines) read(p piece, yield func(Edge) bool) error {
	h, not := e.heads[p.file], e.header[p]
	lines := records[Edge]{e.input, func(line []byte) (edge Edge, ok bool, err error) {
		if line = blanks(line); len(line) == 0 || isComment(line, e.comment) {
			return edge, false, nil
		}
		edge, err = h.edge(line, e.input)
		return edge, err == nil, err
	}}
	return e.readStream(p, func(p *part) error { return lines.each(p, yield, not) })
}

// isComment reports whether a line begins with one of the bytes in begins.
func isComment(line []byte, begins string) bool { return strings.IndexByte(begins, line[0]) >= 0 }
