package graph

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// Format is a file format for graphs.
type Format int

const (
	// Auto lets Open decide: by an unmistakable first line, else by the file's extension, else by its first bytes.
	Auto Format = iota
	// EdgeList is SNAP's: `#` comments, then `from to` a line; ids are any 64-bit numbers. Directed.
	EdgeList
	// PACE is the .gr format: `c` comments, `p tw V E`, then `u v` a line, counted from 1. Undirected. Or DIMACS's: `p sp
	// V E`, then `a u v w` a line, which is an arc with its weight. Directed.
	PACE
	// MatrixMarket is the square coordinate format: `general` is directed, every symmetry undirected.
	MatrixMarket
	// METIS is adjacency by rows: `%` comments, `n m [fmt [ncon]]`, then one row a vertex. Undirected.
	METIS
)

var formatNames = [...]string{"auto", "edgelist", "pace", "matrixmarket", "metis"}

// String returns the name by which ParseFormat knows f.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return formatNames[f]
}

// ParseFormat returns the format with this name: auto, edgelist, pace, matrixmarket or metis.
func ParseFormat(name string) (Format, error) {
	for f, n := range formatNames {
		if strings.EqualFold(name, n) {
			return Format(f), nil
		}
	}
	return Auto, fmt.Errorf("parse graph format: %q is not one of %s", name, strings.Join(formatNames[:], ", "))
}

var extensions = map[string]Format{
	".el": EdgeList, ".txt": EdgeList, ".gr": PACE, ".mtx": MatrixMarket, ".graph": METIS, ".metis": METIS,
}

// detect tells the format of a file by its first bytes and its name.
func detect(name string, head []byte) (Format, error) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.HasPrefix(bytes.ToLower(line), []byte("%%matrixmarket")):
		return MatrixMarket, nil
	case bytes.HasPrefix(line, []byte("p tw ")), bytes.HasPrefix(line, []byte("p sp ")):
		return PACE, nil
	}
	base := strings.TrimSuffix(strings.ToLower(name), ".gz")
	if f, known := extensions[filepath.Ext(base)]; known {
		return f, nil
	}
	return sniff(name, line)
}

// sniff guesses from the first line alone. Two bare numbers could begin an edge list or a METIS file; edge lists are
// the ones that often come without a telling name.
func sniff(name string, line []byte) (Format, error) {
	fields := bytes.Fields(line)
	switch {
	case len(fields) == 0:
	case fields[0][0] == '#':
		return EdgeList, nil
	case fields[0][0] == '%':
		return METIS, nil
	case len(fields[0]) == 1 && (fields[0][0] == 'c' || fields[0][0] == 'p'):
		return PACE, nil
	case !allDigits(fields):
	case len(fields) == 2:
		return EdgeList, nil
	case len(fields) == 3 || len(fields) == 4:
		return METIS, nil
	}
	return Auto, fmt.Errorf("read graph %s: line 1: neither the name nor the first line tells a graph format (edgelist, pace, matrixmarket, metis): %w",
		name, ErrSyntax)
}

func allDigits(fields [][]byte) bool {
	for _, field := range fields {
		for _, b := range field {
			if !isDigit(b) {
				return false
			}
		}
	}
	return true
}

// isBinary tells by the control bytes in head that the file is no text.
func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
}
