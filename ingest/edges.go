package ingest

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/dataset"
)

// An Edge is an edge of a graph, or an arc from From to To. Vertices have the numbers of the file: from 1 in PACE,
// Matrix Market and METIS files. Weight is 1 if the file has none.
type Edge struct {
	From, To uint64
	Weight   float64
}

// Edges gives the edges of graphs as the lines of the files list them. It checks each line, but not the file as a
// whole: use [OpenGraph] for the edges of a graph, each once, and all checks.
//
// A METIS file lists an edge in the rows of both ends, so the edge comes twice: {1, 2} and {2, 1}. The number of rows
// before a row is its vertex. Therefore Open counts the rows of files that several ranks read, which reads them once
// more. Weights and sizes of vertices are ignored. A row of a METIS file or an adjacency list is a record and must fit
// in [RowLimit], by default 1 GiB for these. With [Skip], a bad row gives none of its edges.
func Edges(format EdgeFormat) Format[Edge] {
	return Format[Edge]{"edges", func(in *input) (reader[Edge], error) {
		if format < 0 || int(format) >= len(formatNames) {
			return nil, fmt.Errorf("unknown format of edges %v: expected one of the constants of EdgeFormat", format)
		}
		return &edges{input: in, format: format}, nil
	}}
}

// rowLimitOfRows is the default RowLimit for METIS files and adjacency lists: a vertex may have many neighbours.
const rowLimitOfRows = 1 << 30

// edges reads files of edges. Its format may be detected from the files.
type edges struct {
	*input
	format EdgeFormat
	of     edgeReader
}

// An edgeReader reads files of one format.
type edgeReader interface {
	// prepare reads the headers of this rank's files. It is collective.
	prepare() error
	// head returns the header of a file. This rank must have a piece of the file.
	head(file int) edgeHead
	read(p piece, yield func(Edge) bool) error
}

func (*edges) finder() finder { return nil }

func (e *edges) prepare() error {
	if e.format == AutoFormat {
		if err := e.detect(); err != nil {
			return err
		}
	}
	if e.names != nil && e.format != EdgeList && e.format != AdjacencyList {
		return fmt.Errorf("read edges: files of format %v number their vertices: leave names out", e.format)
	}
	rows := e.format == METIS || e.format == AdjacencyList
	if rows && e.rowLimit == rowLimitDefault {
		e.rowLimit = rowLimitOfRows
	}
	switch e.format {
	case METIS:
		e.of = &metis{input: e.input}
	case AdjacencyList:
		e.of = adjacency{e.input}
	case EdgeList, PACE, MatrixMarket, AutoFormat:
		e.of = &edgeLines{input: e.input, lineFormat: lineFormats[e.format]}
	}
	return e.of.prepare()
}

func (e *edges) read(p piece, yield func(Edge) bool) error { return e.of.read(p, yield) }

// detect detects the format from the first file, on the first of the ranks that share files. It is collective.
func (e *edges) detect() (err error) {
	own := AutoFormat
	if e.rank.ID() == e.all[0] && len(e.files) > 0 {
		own, err = e.formatOf(0)
	}
	if err := dataset.Agree(e.rank, err); err != nil {
		return err
	}
	told, err := e.rank.AllGatherBytes([]byte{byte(own)})
	if err == nil {
		e.format = EdgeFormat(told[e.all[0]][0])
	}
	return err
}

// formatOf detects the format of a file by its first bytes and its name.
func (e *edges) formatOf(file int) (format EdgeFormat, err error) {
	name := e.files[file].Name
	if e.files[file].Size == 0 {
		return 0, fmt.Errorf("read %s: the file is empty: write it again, or leave it out", name)
	}
	err = e.readStream(piece{file, 0, e.files[file].Size}, func(p *part) error {
		head := p.peek(sniffBytes)
		if len(head) == 0 {
			return p.ended()
		}
		format, err = detectFormat(name, head)
		return err
	})
	if err == nil && format == AutoFormat {
		err = fmt.Errorf("read %s: the file is empty: write it again, or leave it out", name)
	}
	return format, err
}
