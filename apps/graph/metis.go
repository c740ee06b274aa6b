package graph

import (
	"io"
	"math"
)

// metis reads METIS adjacency files. Each edge stands in the rows of both its ends and is delivered from the row of its
// smaller end; the other occurrence is only checked off. Rows are read number by number, so they may be of any length.
type metis struct {
	oneBased
	lex         *lexer
	edges       uint64 // as the header tells
	rowPrefix   uint64 // weights and sizes that stand before the neighbours of a row
	edgeWeights bool

	row        uint64 // rows begun, so row-1 is the index of the current one
	inRow      bool
	up, down   uint64 // neighbours met that are larger, smaller than their row
	unpaired   uint64 // sum over edges met from above minus those from below: 0 if both ends know each edge
	loops      []loop // self-loops, delivered last, when it is known how often each of them stands
	loopCount  uint64
	loopRepeat uint64 // occurrences of a self-loop that are one edge, known after the last row
}

// loop is a vertex that its own row names times times, with a weight.
type loop struct {
	vertex, times uint64
	weight        float64
}

func openMETIS(lex *lexer) (content, error) {
	m := &metis{lex: lex}
	more, err := lex.record('%')
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, lex.errorf(ErrTruncated, "the file ends before the header `VERTICES EDGES [FORMAT [WEIGHTS]]`")
	}
	if m.n, err = lex.count("the number of vertices"); err != nil {
		return nil, err
	}
	if m.edges, err = lex.number("the number of edges"); err != nil {
		return nil, err
	}
	if err := m.weights(); err != nil {
		return nil, err
	}
	lex.lineMax = math.MaxInt64
	return m, lex.endLine("the header")
}

// weights reads the optional end of the header: three digits say whether vertices have sizes, vertices have weights,
// edges have weights; then how many weights a vertex has.
func (m *metis) weights() error {
	if m.lex.atLineEnd() {
		if m.lex.weighs {
			return m.lex.errorf(ErrUnweighted, "the header has no weight format")
		}
		return nil
	}
	format, err := m.lex.number("the weight format")
	if err != nil {
		return err
	}
	sizes, vertexWeights, edgeWeights := format/100, format/10%10, format%10
	if sizes > 1 || vertexWeights > 1 || edgeWeights > 1 {
		return m.lex.errorf(ErrSyntax, "the weight format is %d where three digits 0 or 1 are wanted", format)
	}
	perVertex := uint64(1)
	if !m.lex.atLineEnd() {
		if perVertex, err = m.lex.count("the number of weights a vertex"); err != nil {
			return err
		}
	}
	m.rowPrefix = sizes + vertexWeights*perVertex
	if m.edgeWeights = edgeWeights == 1; m.lex.weighs && !m.edgeWeights {
		return m.lex.errorf(ErrUnweighted, "the weight format is %d, without weights of edges", format)
	}
	return nil
}

func (m *metis) next() (Edge, error) {
	for m.row < m.n || m.inRow {
		if !m.inRow {
			if err := m.beginRow(); err != nil {
				return Edge{}, err
			}
		}
		if m.lex.atLineEnd() {
			if err := m.lex.endLine("a row"); err != nil {
				return Edge{}, err
			}
			m.inRow = false
			continue
		}
		e, deliver, err := m.neighbour()
		if err != nil || deliver {
			return e, err
		}
	}
	return m.nextLoop()
}

// beginRow skips comments and reads the weights that stand before a row's neighbours.
func (m *metis) beginRow() error {
	for {
		b, ok := m.lex.peek()
		if !ok {
			if err := m.lex.ended(); err != nil {
				return err
			}
			return m.lex.errorf(ErrTruncated, "the header tells %d vertices, but the file ends after %d rows", m.n, m.row)
		}
		if b != '%' {
			break
		}
		m.lex.skipLine()
	}
	m.row++
	m.inRow = true
	for range m.rowPrefix {
		if err := m.lex.value("the weight or size of a vertex"); err != nil {
			return err
		}
	}
	return nil
}

// neighbour reads one neighbour of the current row; deliver is false for the second occurrence of an edge, and for
// self-loops.
func (m *metis) neighbour() (e Edge, deliver bool, err error) {
	to, err := m.lex.vertex(m.n)
	if err != nil {
		return e, false, err
	}
	if m.edgeWeights {
		if err := m.lex.edgeWeight("the weight of an edge"); err != nil {
			return e, false, err
		}
	}
	e = Edge{m.row - 1, to}
	weight := mix(math.Float64bits(m.lex.weight)) // both ends know the same
	switch {
	case e.To > e.From:
		if m.up++; m.up > m.edges {
			return e, false, m.lex.errorf(ErrDamaged, "the header tells %d edges, but there are more", m.edges)
		}
		m.unpaired += mix(mix(e.From) ^ e.To ^ weight)
		return e, true, nil
	case e.To < e.From:
		m.down++
		m.unpaired -= mix(mix(e.To) ^ e.From ^ weight)
	default:
		m.addLoop(to)
	}
	return e, false, nil
}

func (m *metis) addLoop(vertex uint64) {
	m.loopCount++
	for i := len(m.loops) - 1; i >= 0 && m.loops[i].vertex == vertex; i-- {
		if m.loops[i].weight == m.lex.weight {
			m.loops[i].times++
			return
		}
	}
	m.loops = append(m.loops, loop{vertex, 1, m.lex.weight})
}

// nextLoop checks the whole file once, after its last row, and then delivers self-loops up to io.EOF.
func (m *metis) nextLoop() (Edge, error) {
	if m.loopRepeat == 0 {
		if err := m.finish(); err != nil {
			return Edge{}, err
		}
	}
	if len(m.loops) == 0 {
		return Edge{}, io.EOF
	}
	l := &m.loops[0]
	e := Edge{l.vertex, l.vertex}
	m.lex.weight = l.weight
	if l.times -= m.loopRepeat; l.times == 0 {
		m.loops = m.loops[1:]
	}
	return e, nil
}

// finish checks that nothing follows the rows, that both ends know each edge, and that the number of edges is as told.
func (m *metis) finish() error {
	more, err := m.lex.record('%')
	switch {
	case err != nil:
		return err
	case more:
		return m.lex.errorf(ErrDamaged, "the header tells %d vertices, but there are more rows", m.n)
	case m.up != m.down || m.unpaired != 0:
		what := "an edge stands only in the row of one of its ends"
		if m.lex.weighs {
			what += ", or its ends have other weights for it"
		}
		return m.lex.errorf(ErrDamaged, "%s (%d neighbours are larger, %d smaller than their row)", what, m.up, m.down)
	}
	return m.countLoops()
}

// countLoops settles whether a self-loop stands once or, like other edges, twice: the number of edges told says which.
func (m *metis) countLoops() error {
	switch m.edges {
	case m.up + m.loopCount:
		m.loopRepeat = 1
		return nil
	case m.up + m.loopCount/2:
		m.loopRepeat = 2
		for _, l := range m.loops {
			if l.times%2 == 1 {
				return m.lex.errorf(ErrDamaged, "the self-loop of vertex %d stands an odd number of times", l.vertex+1)
			}
		}
		return nil
	}
	kind := ErrDamaged
	if m.up+m.loopCount < m.edges {
		kind = ErrTruncated
	}
	return m.lex.errorf(kind, "the header tells %d edges, but there are %d", m.edges, m.up+m.loopCount)
}

func (m *metis) directed() bool { return false }

func (m *metis) weighted() bool { return m.edgeWeights || m.rowPrefix > 0 }

func (m *metis) edgesTold() (uint64, bool) { return m.edges, true }
