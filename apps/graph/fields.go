package graph

import (
	"math"
	"strings"
)

// wordBytesMax is the longest word that a header may hold.
const wordBytesMax = 32

// number reads an unsigned decimal number, which must end at a blank, a line end or the end of the file. what says in
// an error what the number would have been.
func (l *lexer) number(what string) (uint64, error) {
	l.blanks()
	b, ok := l.peek()
	if !ok || !isDigit(b) {
		return 0, l.unexpected(what)
	}
	var v uint64
	for ok && isDigit(b) {
		digit := uint64(b - '0')
		if v > (math.MaxUint64-digit)/10 {
			return 0, l.errorf(ErrRange, "%s does not fit in 64 bits", what)
		}
		v = v*10 + digit
		l.pos++
		if l.pos < l.end {
			b = l.buf[l.pos]
		} else {
			b, ok = l.peek()
		}
	}
	if ok && !isBlank(b) && b != '\n' {
		return 0, l.unexpected("a blank after " + what)
	}
	return v, nil
}

// count reads a number of vertices or the like, of which there cannot be more than verticesMax.
func (l *lexer) count(what string) (uint64, error) {
	v, err := l.number(what)
	if err == nil && v > verticesMax {
		err = l.errorf(ErrRange, "%s is %d, more than %d", what, v, uint64(verticesMax))
	}
	return v, err
}

// vertex reads a vertex of a format that counts from 1 and returns its index.
func (l *lexer) vertex(vertices uint64) (uint64, error) {
	v, err := l.number("a vertex")
	if err == nil && (v == 0 || v > vertices) {
		err = l.errorf(ErrRange, "vertex %d is not one of 1 to %d, which the header tells", v, vertices)
	}
	return v - 1, err
}

// pair reads the two vertices of an edge, both counted from 1.
func (l *lexer) pair(vertices uint64) (Edge, error) {
	from, err := l.vertex(vertices)
	if err != nil {
		return Edge{}, err
	}
	to, err := l.vertex(vertices)
	return Edge{from, to}, err
}

// endEdge demands the end of the line after the two vertices of an edge, or after the weight that follows them if
// weights were asked for. A number there is a weight, a time or the like.
func (l *lexer) endEdge() error {
	l.blanks()
	if l.weighs {
		if l.atLineEnd() {
			return l.errorf(ErrUnweighted, "no weight follows the two vertices of an edge")
		}
		if err := l.edgeWeight("the weight of an edge"); err != nil {
			return err
		}
		return l.endLine("the weight of an edge")
	}
	if b, ok := l.peek(); ok && (isDigit(b) || b == '-' || b == '+' || b == '.') {
		return l.errorf(ErrSyntax, "a third number follows the two vertices of an edge; weights are not supported here, leave them out")
	}
	return l.endLine("the two vertices of an edge")
}

// value skips a number of any kind (weight, matrix entry) after checking that it looks like one.
func (l *lexer) value(what string) error {
	l.blanks()
	var last byte
	for b, ok := l.peek(); ok && !isBlank(b) && b != '\n'; b, ok = l.peek() {
		if !isDigit(b) && strings.IndexByte("+-.eEdDiInNfFaAtTyY", b) < 0 {
			return l.unexpected(what)
		}
		last = b
		l.pos++
	}
	if last == 0 || strings.IndexByte("+-eEdD", last) >= 0 {
		return l.unexpected(what)
	}
	return nil
}

// word reads what stands up to the next blank or line end, which must be a few bytes.
func (l *lexer) word() (string, error) {
	l.blanks()
	var word []byte
	for b, ok := l.peek(); ok && !isBlank(b) && b != '\n'; b, ok = l.peek() {
		if len(word) == wordBytesMax {
			return "", l.errorf(ErrSyntax, "found %q, longer than any word of a header", word)
		}
		word = append(word, b)
		l.pos++
	}
	return string(word), nil
}
