package ingest

// Names numbers the vertices of a graph whose vertices are strings, in the order of their first calls of Number, from
// 0. One goroutine, that of its rank, may use it. Its zero value is empty. A name costs about 100 bytes beside its own.
type Names struct {
	numbers map[string]uint64
	all     []string
}

// Number returns the number of a name. A name that is not known yet gets the next number.
func (n *Names) Number(name []byte) uint64 {
	number, known := n.numbers[string(name)]
	if known {
		return number
	}
	if n.numbers == nil {
		n.numbers = map[string]uint64{}
	}
	text := string(name)
	number = uint64(len(n.all))
	n.numbers[text] = number
	n.all = append(n.all, text)
	return number
}

// All returns the names by number. The slice is read-only, and valid until the next call of Number.
func (n *Names) All() []string { return n.all }

// Named means that the vertices of a file are strings. The vertices of an [Edge] are then their numbers in names. Each
// rank gives its own Names. It is for formats without numbers for vertices: edge lists, adjacency lists and lists of
// vertices.
func Named(names *Names) Option { return option(func(o *options) { o.names = names }) }

// Alone calls a function for each vertex that a file lists without an edge: a line of one vertex in an adjacency list.
// The calls happen while this rank's edges are read.
func Alone(visit func(vertex uint64)) Option { return option(func(o *options) { o.alone = visit }) }

// Vertices gives the vertices that files list, one in a line, including those without an edge; LDBC's .v files are such
// lists. Lines of # and % are comments. With [Named] a line is a name, as it stands; empty lines are skipped.
func Vertices() Format[uint64] {
	return Format[uint64]{"vertices", func(in *input) (reader[uint64], error) {
		return records[uint64]{in, func(line []byte) (v uint64, ok bool, err error) {
			if in.names == nil {
				line = blanks(line)
			}
			if len(line) == 0 || isComment(line, edgeComment) {
				return 0, false, nil
			}
			if in.names != nil {
				return in.names.Number(line), true, nil
			}
			v, rest, err := vertex(line)
			if err == nil && len(rest) > 0 {
				err = errNotEnded(rest)
			}
			return v, err == nil, err
		}}, nil
	}}
}
