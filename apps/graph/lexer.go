package graph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

const (
	// lexerBytes is the only buffer between a file and its edges.
	lexerBytes = 128 << 10
	// lineBytesMax is the longest line of a format that stands in lines; rows of METIS have no limit.
	lineBytesMax = 1 << 20
	// readsWithoutBytesMax is how often a source may give neither bytes nor an error.
	readsWithoutBytesMax = 100
)

// lexer cuts a byte stream into numbers and lines without ever holding a line. Its methods return errors that name the
// file and the line.
type lexer struct {
	name string
	src  io.Reader

	weighs bool    // weights of edges are kept
	weight float64 // of the edge that was read last

	buf      []byte
	pos, end int    // unread bytes are buf[pos:end]
	srcErr   error  // why src gives no more, valid once pos == end
	line     uint64 // number of the current line, from 1
	passed   int64  // bytes before buf[0]
	begun    int64  // offset at which the current line begins
	lineMax  int64  // bytes a line may hold
}

func newLexer(name string, src io.Reader) *lexer {
	return &lexer{name: name, src: src, buf: make([]byte, lexerBytes), line: 1, lineMax: lineBytesMax}
}

// fill replaces the buffer, all of which has been read, by the next bytes. It fills it wholly, so that what is told of
// a file never depends on how its source happens to hand out bytes.
func (l *lexer) fill() bool {
	if l.srcErr != nil {
		return false
	}
	l.passed += int64(l.end)
	l.pos, l.end = 0, 0
	for idle := 0; l.end < len(l.buf) && l.srcErr == nil; {
		n, err := l.src.Read(l.buf[l.end:])
		l.end += n
		l.srcErr = err
		if n > 0 {
			idle = 0
		} else if idle++; idle > readsWithoutBytesMax && err == nil {
			l.srcErr = io.ErrNoProgress
		}
	}
	if l.passed-l.begun > l.lineMax {
		l.srcErr = l.errorf(ErrSyntax, "the line is longer than %d bytes", l.lineMax)
		l.end = 0
	}
	return l.end > 0
}

// peek returns the next byte; ok is false at the end and after a failure, which ended tells apart.
func (l *lexer) peek() (b byte, ok bool) {
	if l.pos == l.end && !l.fill() {
		return 0, false
	}
	return l.buf[l.pos], true
}

// ended returns nil if the source ended as it should, and otherwise what stopped it.
func (l *lexer) ended() error {
	switch err := l.srcErr; {
	case err == io.EOF:
		return nil
	case isFileError(err):
		return err
	default:
		return l.sourceError(err)
	}
}

// newline consumes the line end at which the lexer stands.
func (l *lexer) newline() {
	l.pos++
	l.line++
	l.begun = l.passed + int64(l.pos)
}

// blanks skips what may stand between two numbers of a line. CR counts as blank, so CRLF files read as others do.
func (l *lexer) blanks() {
	for {
		b, ok := l.peek()
		if !ok || !isBlank(b) {
			return
		}
		l.pos++
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' }

func isDigit(b byte) bool { return b-'0' <= 9 }

// atLineEnd reports whether nothing but blanks is left of the line.
func (l *lexer) atLineEnd() bool {
	l.blanks()
	b, ok := l.peek()
	return !ok || b == '\n'
}

// endLine demands that nothing more stands in the line, and consumes its end.
func (l *lexer) endLine(wanted string) error {
	l.blanks()
	b, ok := l.peek()
	switch {
	case !ok:
		return l.ended()
	case b != '\n':
		return l.unexpected("the end of the line after " + wanted)
	}
	l.newline()
	return nil
}

// skipLine consumes the rest of the line and its end.
func (l *lexer) skipLine() {
	for _, ok := l.peek(); ok; _, ok = l.peek() {
		if i := bytes.IndexByte(l.buf[l.pos:l.end], '\n'); i >= 0 {
			l.pos += i
			l.newline()
			return
		}
		l.pos = l.end
	}
}

// text returns the rest of the line, which must not be longer than bytesMax, and consumes its end.
func (l *lexer) text(bytesMax int) (string, error) {
	var text []byte
	for {
		b, ok := l.peek()
		if !ok {
			return string(text), l.ended()
		}
		if b == '\n' {
			l.newline()
			return string(text), nil
		}
		if len(text) == bytesMax {
			return "", l.errorf(ErrSyntax, "the line is longer than %d bytes", bytesMax)
		}
		text = append(text, b)
		l.pos++
	}
}

// record skips empty lines and lines that begin with comment, and reports whether another line is there.
func (l *lexer) record(comment byte) (bool, error) {
	for {
		l.blanks()
		b, ok := l.peek()
		switch {
		case !ok:
			return false, l.ended()
		case b == '\n':
			l.newline()
		case b == comment:
			l.skipLine()
		default:
			return true, nil
		}
	}
}

// unexpected tells what stands where something else is wanted.
func (l *lexer) unexpected(wanted string) error {
	b, ok := l.peek()
	switch {
	case !ok && l.ended() != nil:
		return l.ended()
	case !ok:
		return l.errorf(ErrTruncated, "the file ends where %s is wanted", wanted)
	case b == '\n':
		return l.errorf(ErrSyntax, "the line ends where %s is wanted", wanted)
	case b == ',' || b == ';':
		return l.errorf(ErrSyntax, "found %q where %s is wanted; fields are separated by TAB or spaces, is this a CSV?", b, wanted)
	}
	return l.errorf(ErrSyntax, "found %q where %s is wanted", b, wanted)
}

// errorf names the file and the current line; kind is one of the package's Err values.
func (l *lexer) errorf(kind error, format string, args ...any) error {
	return fmt.Errorf("read graph %s: line %d: %s: %w", l.name, l.line, fmt.Sprintf(format, args...), kind)
}

func isFileError(err error) bool {
	return errors.Is(err, ErrTruncated) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrSyntax) || errors.Is(err, ErrRange)
}

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
