package graph

import (
	"errors"
	"io"
	"strings"
)

// headerBytesMax is the longest header line that is read as text.
const headerBytesMax = 1 << 10

// pace reads the .gr format of the PACE challenges, and that of the DIMACS challenge on shortest paths, whose arcs have
// weights.
type pace struct {
	oneBased
	lex          *lexer
	arcs         bool   // of DIMACS: each line begins with an a, and ends with a weight
	edges, count uint64 // told and read
}

func openPACE(lex *lexer) (content, error) {
	more, err := lex.record('c')
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, lex.errorf(ErrTruncated, "the file ends before the header `p tw VERTICES EDGES`")
	}
	arcs, err := problemLine(lex)
	if err != nil {
		return nil, err
	}
	vertices, err := lex.count("the number of vertices")
	if err != nil {
		return nil, err
	}
	edges, err := lex.number("the number of edges")
	if err != nil {
		return nil, err
	}
	if err := lex.endLine("the header"); err != nil {
		return nil, err
	}
	return &pace{oneBased: oneBased{vertices}, lex: lex, arcs: arcs, edges: edges}, nil
}

// problemLine reads `p tw `, or `p sp `, which is DIMACS's.
func problemLine(lex *lexer) (arcs bool, err error) {
	p, err := lex.word()
	if err != nil {
		return false, err
	}
	problem := ""
	if p == "p" {
		if problem, err = lex.word(); err != nil {
			return false, err
		}
	}
	switch problem {
	case "tw", "sp":
		return problem == "sp", nil
	default:
		return false, lex.errorf(ErrSyntax, "found %q where the header `p tw VERTICES EDGES` is wanted", strings.TrimSpace(p+" "+problem))
	}
}

func (p *pace) next() (Edge, error) {
	more, err := p.lex.record('c')
	if err != nil {
		return Edge{}, err
	}
	if !more {
		if p.count < p.edges {
			return Edge{}, p.lex.errorf(ErrTruncated, "the header tells %d edges, but the file ends after %d", p.edges, p.count)
		}
		return Edge{}, io.EOF
	}
	if p.arcs {
		if word, err := p.lex.word(); err != nil || word != "a" {
			return Edge{}, errors.Join(err, p.lex.errorf(ErrSyntax, "found %q where an arc `a FROM TO WEIGHT` is wanted", word))
		}
	}
	e, err := p.lex.pair(p.n)
	if err != nil {
		return Edge{}, err
	}
	if p.count++; p.count > p.edges {
		return Edge{}, p.lex.errorf(ErrDamaged, "the header tells %d edges, but there are more", p.edges)
	}
	return e, p.end()
}

// end reads what follows the two vertices of an edge or arc.
func (p *pace) end() error {
	if !p.arcs {
		return p.lex.endEdge()
	}
	if err := p.lex.edgeWeight("the weight of an arc"); err != nil {
		return err
	}
	return p.lex.endLine("the weight of an arc")
}

func (p *pace) directed() bool { return p.arcs }

func (p *pace) weighted() bool { return p.arcs || p.lex.weighs }

func (p *pace) edgesTold() (uint64, bool) { return p.edges, true }
