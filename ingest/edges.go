package ingest

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// An Edge is a line of a graph's file, or in METIS files one of those that a line names. Vertices are numbered as the
// file numbers them: from 1 in DIMACS, Matrix Market and METIS files. Weight is 1 where the file has none.
type Edge struct {
	From, To uint64
	Weight   float64
}

// An EdgeFormat is how a line says an edge.
type EdgeFormat int

// The formats of edges.
const (
	EdgeList     EdgeFormat = iota // FROM TO [WEIGHT] between blanks, as in SNAP's files; lines of # and % are comments
	DIMACS                         // a FROM TO WEIGHT; other lines are comments (c) and the header (p sp VERTICES ARCS)
	MatrixMarket                   // ROW COLUMN [VALUE] behind the header %%MatrixMarket, comments (%) and the sizes
	METIS                          // neighbours, a line a vertex, behind the header VERTICES EDGES [FORMAT [WEIGHTS]]
)

// Edges gives the edges of graphs, each as its line says it: whether they have a direction, and whether a symmetric
// matrix stands for two, is the caller's to know. That there are as many edges as a header tells is not checked;
// package apps/graph checks that, with one process. A line that is no edge is a record that cannot be read.
//
// A METIS file names an undirected edge in the rows of both its ends, so it comes twice: {1, 2} and {2, 1}. Who wants
// it once takes those with From <= To. Which vertex a row is of is the number of rows before it: Open has each rank
// count those in its share of files that several ranks read, which reads these shares twice, the first time to
// look for ends of lines alone. A row is a record that must fit in [RowLimit]; with [Skip], a bad one gives none of its
// edges. That a file has fewer rows than its header tells vertices is an error. Weights and sizes of vertices are
// passed over.
func Edges(format EdgeFormat) Format[Edge] {
	return Format[Edge]{"edges", func(in *input) (reader[Edge], error) {
		switch format {
		case EdgeList:
			return records[Edge]{in, edgeOfList}, nil
		case DIMACS:
			return records[Edge]{in, edgeOfDIMACS}, nil
		case MatrixMarket:
			return &matrix{records: records[Edge]{in, edgeOfList}}, nil
		case METIS:
			return &metis{input: in}, nil
		}
		return nil, fmt.Errorf("there is no format %d of edges: use EdgeList, DIMACS, MatrixMarket or METIS", format)
	}}
}

// edgeOfList reads FROM TO [WEIGHT].
func edgeOfList(line []byte) (e Edge, ok bool, err error) {
	line = blanks(line)
	if len(line) == 0 || line[0] == '#' || line[0] == '%' {
		return e, false, nil
	}
	return edgeOf(line)
}

// edgeOfDIMACS reads a FROM TO WEIGHT.
func edgeOfDIMACS(line []byte) (e Edge, ok bool, err error) {
	line = blanks(line)
	switch {
	case len(line) == 0 || line[0] == 'c' || line[0] == 'p':
		return e, false, nil
	case line[0] != 'a' || len(line) < 2 || line[1] != ' ' && line[1] != '\t':
		return e, false, fmt.Errorf("found %.40q where an arc is wanted: a FROM TO WEIGHT", line)
	}
	return edgeOf(blanks(line[1:]))
}

func edgeOf(line []byte) (e Edge, ok bool, err error) {
	if e.From, line, err = vertex(line); err != nil {
		return e, false, err
	}
	if e.To, line, err = vertex(line); err != nil {
		return e, false, err
	}
	if e.Weight = 1; len(line) == 0 {
		return e, true, nil
	}
	if e.Weight, line, err = weight(line); err == nil && len(line) > 0 {
		err = fmt.Errorf("found %.40q where the end of the line is wanted", line)
	}
	return e, err == nil, err
}

// weight reads a number, and what separates it from what follows.
func weight(line []byte) (w float64, rest []byte, err error) {
	text := line
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		text, rest = line[:i], blanks(line[i:])
	}
	if w, err = strconv.ParseFloat(string(text), 64); err != nil || math.IsNaN(w) {
		return w, nil, fmt.Errorf("found %.40q where a weight is wanted, which is a number", text)
	}
	return w, rest, nil
}

// vertex reads a whole number, and what separates it from what follows.
func vertex(line []byte) (v uint64, rest []byte, err error) {
	i := 0
	for ; i < len(line) && line[i]-'0' <= 9; i++ {
		digit := uint64(line[i] - '0')
		if v > (math.MaxUint64-digit)/10 {
			return 0, nil, fmt.Errorf("the vertex %.40q does not fit in 64 bits", line)
		}
		v = v*10 + digit
	}
	rest = blanks(line[i:])
	if i == 0 || i < len(line) && len(rest) == len(line)-i {
		return 0, nil, fmt.Errorf("found %.40q where a vertex and a blank are wanted; fields between commas are read "+
			"by ingest.CSV", line)
	}
	return v, rest, nil
}

// blanks is a line without the blanks that it begins with.
func blanks(line []byte) []byte {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	return line
}
