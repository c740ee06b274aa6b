package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// verticesMax bounds the numbers in a header, so that sums and products of counts do not overflow.
const verticesMax = 1 << 48

// edge reads FROM TO and the values that the header announces.
func (h *edgeHead) edge(line []byte, in *input) (e Edge, err error) {
	if h.Arcs {
		if line[0] != 'a' || len(line) < 2 || line[1] != ' ' && line[1] != '\t' {
			return e, fmt.Errorf("found %.40q; expected an arc \"a FROM TO WEIGHT\"", line)
		}
		line = blanks(line[1:])
	}
	if e.From, line, err = in.vertex(line); err != nil {
		return e, err
	}
	if e.To, line, err = in.vertex(line); err != nil {
		return e, err
	}
	values := h.Values
	if e.Weight = in.missing; values == anyValues {
		values = min(len(line), 1)
	}
	for i := range values {
		var value float64
		if value, line, err = weight(line); err != nil {
			return e, err
		}
		if i == 0 {
			e.Weight = value
		}
	}
	if len(line) > 0 {
		err = errNotEnded(line)
	}
	return e, err
}

func errNotEnded(rest []byte) error {
	return fmt.Errorf("found %.40q; expected the end of the line", rest)
}

// vertex reads a vertex, which is a number or a name, and the blanks behind it.
func (in *input) vertex(line []byte) (v uint64, rest []byte, err error) {
	if in.names == nil {
		return vertex(line)
	}
	if len(line) == 0 {
		return 0, nil, errNoVertex
	}
	name := line
	if i := bytes.IndexAny(line, " \t\r"); i >= 0 {
		name, rest = line[:i], blanks(line[i:])
	}
	return in.names.Number(name), rest, nil
}

var errNoVertex = errors.New("the line ends early; expected a vertex")

// weight reads a number and the blanks behind it. Its exponent may be Fortran's d.
func weight(line []byte) (w float64, rest []byte, err error) {
	text := line
	if i := bytes.IndexAny(line, " \t\r"); i >= 0 {
		text, rest = line[:i], blanks(line[i:])
	}
	if w, err = strconv.ParseFloat(string(text), 64); err == nil && !bytes.ContainsAny(text, "_xX") && !math.IsNaN(w) {
		return w + 0, rest, nil // no -0
	}
	if bytes.ContainsAny(text, "dD") && !bytes.ContainsAny(text, "_xXinIN") {
		fortran := strings.NewReplacer("d", "e", "D", "e").Replace(string(text))
		if w, err = strconv.ParseFloat(fortran, 64); err == nil {
			return w + 0, rest, nil
		}
	}
	if len(text) == 0 {
		return 0, nil, errors.New("the line ends early; expected a weight")
	}
	if errors.Is(err, strconv.ErrRange) {
		return w, nil, fmt.Errorf("the weight %.40q does not fit in a float64", text)
	}
	return w, nil, fmt.Errorf("found %.40q; expected a weight, which is a number", text)
}

// vertex reads a whole number and the blanks behind it.
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
	switch {
	case len(line) == 0:
		return 0, nil, errNoVertex
	case i < len(line) && (line[i] == ',' || line[i] == ';'):
		return 0, nil, fmt.Errorf("found %.40q; expected a vertex and a blank: let the name of a CSV file end with .csv",
			line)
	case i == 0 || i < len(line) && len(rest) == len(line)-i:
		return 0, nil, fmt.Errorf("found %.40q; expected a vertex, which is a whole number, and a blank", line)
	}
	return v, rest, nil
}

// blanks returns a line without the blanks at its front. A carriage return is a blank.
func blanks(line []byte) []byte {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t' || line[0] == '\r') {
		line = line[1:]
	}
	return line
}

// listHeader reads comments before the edges of an edge list. One of SNAP's comments has both counts: # Nodes: 7115
// Edges: 103689.
func listHeader(h *edgeHead, line []byte, _ int) (done bool, err error) {
	if len(line) == 0 {
		return false, nil
	}
	if line[0] != '#' && line[0] != '%' {
		return true, nil
	}
	nodes, hasNodes := countAfter(line, "Nodes:")
	count, hasEdges := countAfter(line, "Edges:")
	if !hasNodes || !hasEdges || h.Counted {
		return false, nil
	}
	var overflow error
	if h.Vertices, overflow = strconv.ParseUint(nodes, 10, 64); overflow == nil {
		h.Edges, overflow = strconv.ParseUint(count, 10, 64)
	}
	if overflow != nil || h.Vertices > verticesMax {
		return false, fmt.Errorf("the header has %s nodes and %s edges, which is too many: correct the header", nodes, count)
	}
	h.Counted = true
	return false, nil
}

// countAfter returns the whole number behind a label in a line.
func countAfter(line []byte, label string) (string, bool) {
	_, rest, found := strings.Cut(string(line), label)
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return "", false
	}
	return fields[0], strings.Trim(fields[0], "0123456789") == ""
}

// paceHeader reads p tw VERTICES EDGES, or DIMACS's p sp VERTICES ARCS.
func paceHeader(h *edgeHead, line []byte, _ int) (done bool, err error) {
	if len(line) == 0 || line[0] == 'c' {
		return false, nil
	}
	words := bytes.Fields(line)
	if len(words) < 2 || string(words[0]) != "p" || string(words[1]) != "tw" && string(words[1]) != "sp" {
		return false, fmt.Errorf("found %.40q; expected the header \"p tw VERTICES EDGES\"", line)
	}
	*h = edgeHead{Counted: true, Numbered: true, Values: anyValues, Of: PACE}
	if string(words[1]) == "sp" {
		h.Arcs, h.Directed, h.Values = true, true, 1
	}
	return true, h.counts(bytes.Join(words[2:], []byte{' '}), &h.Vertices, &h.Edges)
}

// counts reads the numbers of a header.
func (h *edgeHead) counts(line []byte, to ...*uint64) (err error) {
	for _, n := range to {
		if *n, line, err = vertex(line); err != nil {
			return fmt.Errorf("the header: %w", err)
		}
	}
	if len(line) > 0 {
		return fmt.Errorf("found %.40q; expected the end of the header", line)
	}
	if h.Vertices > verticesMax {
		return fmt.Errorf("the header has %d vertices, which is too many: correct the header", h.Vertices)
	}
	return nil
}

// valuesOf is the number of values of an entry, by the field of the header.
var valuesOf = map[string]int{"real": 1, "integer": 1, "pattern": 0, "complex": 2}

// matrixHeader reads the first line of a Matrix Market file, and the sizes behind its comments.
func matrixHeader(h *edgeHead, line []byte, n int) (done bool, err error) {
	if n == 0 {
		return false, h.banner(line)
	}
	if len(line) == 0 || line[0] == '%' {
		return false, nil
	}
	var rows uint64
	if err := h.counts(line, &rows, &h.Vertices, &h.Edges); err != nil {
		return false, err
	}
	if rows != h.Vertices {
		return false, fmt.Errorf("the matrix has %d rows and %d columns; expected a square matrix, with a row and a column "+
			"for each vertex", rows, h.Vertices)
	}
	return true, nil
}

// banner reads %%MatrixMarket matrix coordinate FIELD SYMMETRY.
func (h *edgeHead) banner(line []byte) error {
	words := strings.Fields(strings.ToLower(string(line)))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return fmt.Errorf("found %.40q; expected the header \"%%%%MatrixMarket matrix coordinate FIELD SYMMETRY\"", line)
	}
	if words[2] != "coordinate" {
		return fmt.Errorf("the matrix is in %.20q form; expected \"coordinate\", which lists the entries that are not zero: "+
			"convert the file", words[2])
	}
	values, known := valuesOf[words[3]]
	if !known {
		return fmt.Errorf("unknown field %.20q; expected real, integer, pattern or complex", words[3])
	}
	if !slices.Contains([]string{"general", "symmetric", "skew-symmetric", "hermitian"}, words[4]) {
		return fmt.Errorf("unknown symmetry %.20q; expected general, symmetric, skew-symmetric or hermitian", words[4])
	}
	*h = edgeHead{
		Counted: true, Numbered: true, Values: values, Directed: words[4] == "general", Symmetry: words[4], Of: MatrixMarket,
	}
	return nil
}
