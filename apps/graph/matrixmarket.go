package graph

import (
	"io"
	"slices"
	"strings"
)

// matrixMarket reads square coordinate matrices: entry (i,j) is the arc i -> j, its value the weight.
type matrixMarket struct {
	oneBased
	lex          *lexer
	symmetric    bool
	skew         bool   // no diagonal
	above, below bool   // whether an entry stood on this side of the diagonal
	values       int    // numbers after the two coordinates
	edges, count uint64 // told and read
}

// valuesOf is how many numbers an entry of each field carries.
var valuesOf = map[string]int{"real": 1, "integer": 1, "pattern": 0, "complex": 2}

func openMatrixMarket(lex *lexer) (content, error) {
	m := &matrixMarket{lex: lex}
	if err := m.banner(); err != nil {
		return nil, err
	}
	more, err := lex.record('%')
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, lex.errorf(ErrTruncated, "the file ends before the sizes `ROWS COLUMNS ENTRIES`")
	}
	return m, m.sizes()
}

// banner reads the first line: `%%MatrixMarket matrix coordinate real general`.
func (m *matrixMarket) banner() error {
	text, err := m.lex.text(headerBytesMax)
	if err != nil {
		return err
	}
	words := strings.Fields(strings.ToLower(text))
	wrong := func(what string) error {
		m.lex.line = 1
		return m.lex.errorf(ErrSyntax, "%s where `%%%%MatrixMarket matrix coordinate FIELD SYMMETRY` is wanted", what)
	}
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return wrong("another line stands")
	}
	if words[2] != "coordinate" {
		return wrong("a matrix as " + words[2] + " stands, which is no sparse graph,")
	}
	values, known := valuesOf[words[3]]
	if !known {
		return wrong("the unknown field " + words[3] + " stands")
	}
	if !slices.Contains([]string{"general", "symmetric", "skew-symmetric", "hermitian"}, words[4]) {
		return wrong("the unknown symmetry " + words[4] + " stands")
	}
	if m.lex.weighs && values != 1 {
		m.lex.line = 1
		return m.lex.errorf(ErrUnweighted, "the field is %s", words[3])
	}
	m.values, m.symmetric, m.skew = values, words[4] != "general", words[4] == "skew-symmetric"
	return nil
}

// sizes reads `ROWS COLUMNS ENTRIES`.
func (m *matrixMarket) sizes() error {
	rows, err := m.lex.count("the number of rows")
	if err != nil {
		return err
	}
	columns, err := m.lex.count("the number of columns")
	if err != nil {
		return err
	}
	if rows != columns {
		return m.lex.errorf(ErrSyntax, "the matrix is %d by %d; only a square one is a graph", rows, columns)
	}
	if m.edges, err = m.lex.number("the number of entries"); err != nil {
		return err
	}
	m.n = rows
	return m.lex.endLine("the sizes")
}

func (m *matrixMarket) next() (Edge, error) {
	more, err := m.lex.record('%')
	if err != nil {
		return Edge{}, err
	}
	if !more {
		if m.count < m.edges {
			return Edge{}, m.lex.errorf(ErrTruncated, "the sizes tell %d entries, but the file ends after %d", m.edges, m.count)
		}
		return Edge{}, io.EOF
	}
	e, err := m.lex.pair(m.n)
	if err != nil {
		return Edge{}, err
	}
	if err := m.checkTriangle(e); err != nil {
		return Edge{}, err
	}
	for range m.values {
		if err := m.lex.edgeWeight("the value of an entry"); err != nil {
			return Edge{}, err
		}
	}
	if m.count++; m.count > m.edges {
		return Edge{}, m.lex.errorf(ErrDamaged, "the sizes tell %d entries, but there are more", m.edges)
	}
	return e, m.lex.endLine("an entry")
}

// checkTriangle refuses entries that a symmetric matrix must not have: those on both sides of the diagonal would name
// edges twice. The format stores the side below; files with the other side alone exist and are as clear.
func (m *matrixMarket) checkTriangle(e Edge) error {
	if !m.symmetric {
		return nil
	}
	m.above = m.above || e.From < e.To
	m.below = m.below || e.From > e.To
	switch {
	case m.above && m.below:
		return m.lex.errorf(ErrDamaged, "entry (%d,%d) is on the other side of the diagonal than those before, but the matrix is symmetric",
			e.From+1, e.To+1)
	case m.skew && e.From == e.To:
		return m.lex.errorf(ErrDamaged, "entry (%d,%d) is on the diagonal, which is zero in a skew-symmetric matrix", e.From+1, e.To+1)
	}
	return nil
}

func (m *matrixMarket) directed() bool { return !m.symmetric }

func (m *matrixMarket) weighted() bool { return m.values > 0 }

func (m *matrixMarket) edgesTold() (uint64, bool) { return m.edges, true }
