package ingest

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// An EdgeFormat is a text format of graphs.
type EdgeFormat int

// The formats of graphs.
const (
	// AutoFormat detects the format: by an unmistakable first line, else by the file's extension, else by the first line.
	AutoFormat EdgeFormat = iota
	// EdgeList has lines FROM TO [WEIGHT] between blanks, as SNAP's files. Lines of # and % are comments. Vertices are
	// any numbers of 64 bits. It is directed.
	EdgeList
	// PACE has lines FROM TO [WEIGHT] behind the header "p tw VERTICES EDGES", and is undirected. As in DIMACS files,
	// it may instead have lines "a FROM TO WEIGHT" behind "p sp VERTICES ARCS"; then it is directed. Lines of c are
	// comments.
	PACE
	// MatrixMarket has lines ROW COLUMN [VALUE] behind the header "%%MatrixMarket matrix coordinate FIELD SYMMETRY",
	// comments (%) and the sizes. A general matrix is directed; all others are undirected.
	MatrixMarket
	// METIS has a line of neighbours for each vertex behind the header "VERTICES EDGES [FORMAT [WEIGHTS]]". Lines of % are
	// comments. It is undirected.
	METIS
	// AdjacencyList has lines FROM TO TO ..., as LDBC Graphalytics and NetworkX write them: a vertex, and the heads of
	// its arcs, if any. Lines of # and % are comments. Vertices are any numbers of 64 bits. It is directed.
	AdjacencyList
)

var formatNames = [...]string{"auto", "edgelist", "pace", "matrixmarket", "metis", "adjacency"}

// EdgeFormatNames returns the names of all formats, in the order of the constants.
func EdgeFormatNames() []string { return formatNames[:] }

// String returns the name of f, as [ParseEdgeFormat] reads it.
func (f EdgeFormat) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("EdgeFormat(%d)", int(f))
	}
	return formatNames[f]
}

// ParseEdgeFormat returns the format with a name, in any case.
func ParseEdgeFormat(name string) (EdgeFormat, error) {
	for f, n := range formatNames {
		if strings.EqualFold(name, n) {
			return EdgeFormat(f), nil
		}
	}
	return 0, fmt.Errorf("ingest: unknown graph format %q: expected one of %s", name, strings.Join(formatNames[:], ", "))
}

// sniffBytes is the number of bytes that the detection of a format examines.
const sniffBytes = 1 << 10

var edgeExtensions = map[string]EdgeFormat{
	".el": EdgeList, ".e": EdgeList, ".txt": EdgeList, ".gr": PACE, ".mtx": MatrixMarket, ".graph": METIS,
	".metis": METIS, ".adj": AdjacencyList, ".adjlist": AdjacencyList,
}

// detectFormat detects a format by the name of a file and its first bytes.
func detectFormat(name string, head []byte) (EdgeFormat, error) {
	isControl := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }
	if bytes.ContainsFunc(head, isControl) {
		return 0, fmt.Errorf("read %s: line 1: the file holds binary data, not text: write the edges as text, or as a table "+
			"whose name ends with .avro or .parquet", name)
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.HasPrefix(bytes.ToLower(line), []byte("%%matrixmarket")):
		return MatrixMarket, nil
	case bytes.HasPrefix(line, []byte("p tw ")), bytes.HasPrefix(line, []byte("p sp ")):
		return PACE, nil
	}
	base := strings.ToLower(name)
	for _, packed := range []string{".gz", ".bgz", ".zst"} {
		base = strings.TrimSuffix(base, packed)
	}
	if f, known := edgeExtensions[filepath.Ext(base)]; known {
		return f, nil
	}
	return sniff(name, bytes.Fields(line))
}

// sniff guesses the format from the first line alone. A line of two numbers could begin an edge list or a METIS file;
// sniff chooses the edge list, because those often lack an extension.
func sniff(name string, fields [][]byte) (EdgeFormat, error) {
	number := func(field []byte) bool { return len(bytes.Trim(field, "0123456789")) == 0 }
	numbers := 0
	for numbers < len(fields) && number(fields[numbers]) {
		numbers++
	}
	switch {
	case len(fields) == 0:
	case fields[0][0] == '#':
		return EdgeList, nil
	case fields[0][0] == '%':
		return METIS, nil
	case string(fields[0]) == "c" || string(fields[0]) == "p":
		return PACE, nil
	case numbers < len(fields):
	case len(fields) == 2:
		return EdgeList, nil
	case len(fields) == 3 || len(fields) == 4:
		return METIS, nil
	}
	return 0, fmt.Errorf("read %s: line 1: neither the file's name nor its first line shows the format of the graph: "+
		"name one of %s", name, strings.Join(formatNames[1:], ", "))
}
