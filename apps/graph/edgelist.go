package graph

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// commentBytesMax is the longest comment before the edges of an edge list: it may hold the header.
const commentBytesMax = 1 << 16

// edgeList reads SNAP edge lists.
type edgeList struct {
	*compaction
	lex            *lexer
	hasHeader      bool
	nodes, edges   uint64 // as the header tells
	count          uint64 // edges read
	lastID, lastAt uint64 // the From end of the edge before: lists are mostly sorted by it
}

func openEdgeList(lex *lexer) (content, error) {
	list := &edgeList{compaction: newCompaction(), lex: lex}
	for {
		lex.blanks()
		b, ok := lex.peek()
		switch {
		case !ok:
			return list, lex.ended()
		case b == '\n':
			lex.newline()
		case b == '#':
			if err := list.comment(); err != nil {
				return nil, err
			}
		case isDigit(b):
			return list, nil
		default:
			return nil, lex.unexpected("an edge `from to` or a `#` comment")
		}
	}
}

// comment reads a comment, which is the header if it tells both counts: `# Nodes: 7115 Edges: 103689`.
func (e *edgeList) comment() error {
	line := e.lex.line
	text, err := e.lex.text(commentBytesMax)
	if err != nil || e.hasHeader {
		return err
	}
	nodes, hasNodes := countAfter(text, "Nodes:")
	edges, hasEdges := countAfter(text, "Edges:")
	if !hasNodes || !hasEdges {
		return nil
	}
	var overflow error
	if e.nodes, overflow = strconv.ParseUint(nodes, 10, 64); overflow == nil {
		e.edges, overflow = strconv.ParseUint(edges, 10, 64)
	}
	if overflow != nil || e.nodes > verticesMax {
		e.lex.line = line
		return e.lex.errorf(ErrRange, "the header tells %s nodes and %s edges, more than fit", nodes, edges)
	}
	e.hasHeader = true
	return nil
}

// countAfter returns the whole number that follows label in text.
func countAfter(text, label string) (string, bool) {
	_, rest, found := strings.Cut(text, label)
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return "", false
	}
	return fields[0], strings.Trim(fields[0], "0123456789") == ""
}

func (e *edgeList) next() (Edge, error) {
	more, err := e.lex.record('#')
	if err != nil {
		return Edge{}, err
	}
	if !more {
		return Edge{}, e.finish()
	}
	from, err := e.lex.number("the first vertex of an edge")
	if err != nil {
		return Edge{}, err
	}
	to, err := e.lex.number("the second vertex of an edge")
	if err != nil {
		return Edge{}, err
	}
	if err := e.lex.endEdge(); err != nil {
		return Edge{}, err
	}
	if e.count++; e.hasHeader && e.count > e.edges {
		return Edge{}, e.lex.errorf(ErrDamaged, "the header tells %d edges, but there are more", e.edges)
	}
	if from != e.lastID || e.count == 1 {
		e.lastID, e.lastAt = from, e.meet(from)
	}
	return Edge{e.lastAt, e.meet(to)}, nil
}

// finish compares what was read with the header and returns io.EOF if the file is whole.
func (e *edgeList) finish() error {
	met := e.vertices()
	switch {
	case e.hasHeader && e.count < e.edges:
		return e.lex.errorf(ErrTruncated, "the header tells %d edges, but the file ends after %d", e.edges, e.count)
	case e.hasHeader && met > e.nodes:
		return e.lex.errorf(ErrDamaged, "the header tells %d nodes, but the edges name %d", e.nodes, met)
	case !e.hasHeader && e.count == 0:
		return e.lex.errorf(ErrSyntax, "the file holds no edge")
	}
	e.settle(max(met, e.nodes))
	return io.EOF
}

func (e *edgeList) directed() bool { return true }

func (e *edgeList) weighted() bool { return e.lex.weighs }

func (e *edgeList) edgesTold() (uint64, bool) { return e.edges, e.hasHeader }

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
