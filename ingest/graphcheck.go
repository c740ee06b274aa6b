package ingest

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// An edgeCount is the result of reading one or more pieces of one file of a graph. Ranks exchange it.
type edgeCount struct {
	File     int
	From     int64
	Lines    uint64 // edges as they stand; of METIS files, those from the smaller to the larger end
	Weighted bool   // some edge has a weight
	Above    bool   // some entry of a symmetric matrix is above the diagonal
	Below    bool
	Down     uint64 // edges of METIS files from the larger to the smaller end
	Loops    uint64 // self-loops of METIS files, as they stand
	Odd      uint64 // a vertex with an odd number of equal self-loops
	Unpaired uint64 // sum over edges of one direction minus that of the other: 0 if both rows have each edge
}

func (c edgeCount) compare(d edgeCount) int {
	return cmp.Or(cmp.Compare(c.File, d.File), cmp.Compare(c.From, d.From))
}

// and adds the counts of two pieces of a file.
func (c edgeCount) and(d edgeCount) edgeCount {
	return edgeCount{
		c.File, c.From, c.Lines + d.Lines, c.Weighted || d.Weighted, c.Above || d.Above, c.Below || d.Below,
		c.Down + d.Down, c.Loops + d.Loops, max(c.Odd, d.Odd), c.Unpaired + d.Unpaired,
	}
}

// edges returns the number of edges of a file that lists each self-loop repeat times.
func (c edgeCount) edges(repeat uint64) uint64 { return c.Lines + c.Loops/repeat }

// check compares a file with its header, and returns the number of equal self-loops that make one edge. METIS files
// have either one or two; the header's number of edges decides.
func (h *edgeHead) check(c edgeCount) (repeat uint64, err error) {
	switch {
	case c.Lines != c.Down && h.Of == METIS || c.Unpaired != 0:
		return 0, fmt.Errorf("the rows of two vertices disagree on an edge or on its weight (%d entries lead to larger "+
			"vertices, %d to smaller ones): the file is damaged; fetch it again", c.Lines, c.Down)
	case c.Above && c.Below:
		return 0, errTriangle
	case h.Of == EdgeList && !h.Counted && c.Lines == 0:
		return 0, fmt.Errorf("the file has no edge: check its format")
	case !h.Counted || c.edges(1) == h.Edges:
		return 1, nil
	case c.Loops > 0 && c.edges(2) == h.Edges && c.Odd > 0:
		return 0, fmt.Errorf("vertex %d has an odd number of entries for self-loops, which have two each by the header: the "+
			"file is damaged; fetch it again", c.Odd)
	case c.Loops > 0 && c.edges(2) == h.Edges:
		return 2, nil
	case c.edges(1) < h.Edges:
		return 0, fmt.Errorf("the header has %d edges, the file ends after %d: it is truncated; fetch it again", h.Edges,
			c.edges(1))
	}
	return 0, fmt.Errorf("the header has %d edges, the file has %d: it is damaged; fetch it again or correct its header",
		h.Edges, c.edges(1))
}

var errTriangle = fmt.Errorf("entries are on both sides of the diagonal of a symmetric matrix: the file is damaged; " +
	"keep one side")

// An edgeShare reads one piece of a graph.
type edgeShare struct {
	edgeCount
	head   edgeHead
	in     *input
	place  uint64 // of the next edge
	repeat uint64
	yield  func(uint64, Edge) bool
	row    uint64    // of a METIS file
	loops  []float64 // weights of the row's self-loops
	err    error
}

// read reads the piece.
func (s *edgeShare) read(reader reader[Edge], p piece) error {
	err := reader.read(p, s.take)
	if err == nil && !s.giveLoops() {
		err = errStop
	}
	return cmp.Or(s.err, err)
}

// take checks an edge as it stands in its file.
func (s *edgeShare) take(e Edge) bool {
	if s.err = s.check(e); s.err != nil {
		s.err = fmt.Errorf("read %v: %w", s.in.position(), s.err)
		return false
	}
	if math.IsNaN(e.Weight) || !s.in.weights {
		e.Weight = 1
	} else {
		s.Weighted = true
	}
	if s.head.Of != METIS {
		s.Lines++
		return s.give(e)
	}
	if e.From != s.row && !s.giveLoops() {
		return false
	}
	s.row = e.From
	code := fold(fold(min(e.From, e.To), max(e.From, e.To)), math.Float64bits(e.Weight))
	switch {
	case e.From < e.To:
		s.Lines++
		s.Unpaired += code
		return s.give(e)
	case e.From > e.To:
		s.Down++
		s.Unpaired -= code
	default:
		s.loops = append(s.loops, e.Weight)
	}
	return true
}

// fold hashes two numbers.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1342543de82ef95)
	return high ^ low
}

// give yields an edge with its place.
func (s *edgeShare) give(e Edge) bool {
	s.place++
	return s.yield(s.place-1, e)
}

// giveLoops yields the self-loops of a row, once the number of occurrences per edge is known.
func (s *edgeShare) giveLoops() bool {
	slices.Sort(s.loops)
	s.Loops += uint64(len(s.loops))
	for i := 0; i < len(s.loops); i++ {
		if i+1 < len(s.loops) && s.loops[i] == s.loops[i+1] && s.repeat != 1 {
			i++
		} else if s.repeat != 1 {
			s.Odd = s.row
		}
		if s.repeat > 0 && !s.give(Edge{s.row, s.row, s.loops[i]}) {
			return false
		}
	}
	s.loops = s.loops[:0]
	return true
}

// check returns an error for an edge that the header or the format forbids.
func (s *edgeShare) check(e Edge) error {
	if s.head.Numbered {
		for _, v := range [...]uint64{e.From, e.To} {
			if v-1 >= s.head.Vertices {
				return errNotNumbered(v, s.head.Vertices)
			}
		}
	}
	if s.head.Symmetry != "" && !s.head.Directed {
		s.Above, s.Below = s.Above || e.From < e.To, s.Below || e.From > e.To
		switch {
		case s.Above && s.Below:
			return errTriangle
		case s.head.Symmetry == "skew-symmetric" && e.From == e.To:
			return fmt.Errorf("entry (%d,%d) is on the diagonal, which is zero in a skew-symmetric matrix", e.From, e.To)
		}
	}
	if s.in.weights {
		return s.checkWeight(e.Weight)
	}
	s.Weighted = s.Weighted || !math.IsNaN(e.Weight)
	return nil
}

func (s *edgeShare) checkWeight(w float64) error {
	switch {
	case s.head.Values == 2:
		return fmt.Errorf("the matrix has complex values, which cannot be weights: %w", ErrUnweighted)
	case math.IsNaN(w):
		return fmt.Errorf("the edge has no weight: %w", ErrUnweighted)
	case w < 0 || w > math.MaxFloat64:
		return fmt.Errorf("the weight %v is out of range: expected a finite number of 0 or more", w)
	}
	return nil
}
