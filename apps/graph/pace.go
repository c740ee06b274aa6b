package graph

import (
	"io"
	"strings"
)

// headerBytesMax is the longest header line that is read as text.
const headerBytesMax = 1 << 10

// pace reads the .gr format of the PACE challenges.
type pace struct {
	oneBased
	lex          *lexer
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
	if err := problemLine(lex); err != nil {
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
	return &pace{oneBased: oneBased{vertices}, lex: lex, edges: edges}, nil
}

// problemLine reads `p tw `. DIMACS files share the extension and the p, but hold weighted arcs.
func problemLine(lex *lexer) error {
	p, err := lex.word()
	if err != nil {
		return err
	}
	problem := ""
	if p == "p" {
		if problem, err = lex.word(); err != nil {
			return err
		}
	}
	switch problem {
	case "tw":
		return nil
	case "sp", "max", "min": // shortest paths, flows
		return lex.errorf(ErrSyntax, "found %q where the header `p tw VERTICES EDGES` is wanted; DIMACS graphs with weights are not supported, "+
			"make an edge list of their arcs without the weights", p+" "+problem)
	default:
		return lex.errorf(ErrSyntax, "found %q where the header `p tw VERTICES EDGES` is wanted", strings.TrimSpace(p+" "+problem))
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
	e, err := p.lex.pair(p.n)
	if err != nil {
		return Edge{}, err
	}
	if p.count++; p.count > p.edges {
		return Edge{}, p.lex.errorf(ErrDamaged, "the header tells %d edges, but there are more", p.edges)
	}
	return e, p.lex.endEdge()
}

func (p *pace) directed() bool { return false }

func (p *pace) weighted() bool { return false }

func (p *pace) edgesTold() (uint64, bool) { return p.edges, true }
