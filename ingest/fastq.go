package ingest

import "bytes"

// FASTQ gives the records of FASTQ files: @ and the name, the bases, + with nothing or the name again, the quality.
// Bases are printing characters; qualities are from ! to ~.
//
// A record has four lines. It begins at a line with @ whose next line does not begin with @, and its third line begins
// with +. A line of quality may begin with @, too; the next record's name follows it. Sequences wrapped over several
// lines are read if the first 64 KiB of the file have one; then one rank reads the file.
func FASTQ() Format[Sequence] {
	return Format[Sequence]{"fastq", func(in *input) (reader[Sequence], error) {
		four := sequences{input: in, begun: (*part).begunFASTQ, next: (*part).fastq, stray: strayFASTQ}
		wrapped := sequences{input: in, begun: (*part).begunWrapped, next: (*part).wrappedFASTQ, stray: strayFASTQ}
		return fastq{four, wrapped}, nil
	}}
}

// fastq reads files with four lines per record, and wrapped ones.
type fastq struct {
	sequences
	wrapped sequences
}

func (f fastq) read(p piece, yield func(Sequence) bool) error {
	if f.files[p.file].Uncut {
		return f.wrapped.read(p, yield)
	}
	return f.sequences.read(p, yield)
}

// wrapBytes is the length of the part of a file that is searched for wrapped sequences.
const wrapBytes = 64 << 10

// uncut reports whether a file has wrapped sequences, so that it cannot be cut.
func (f fastq) uncut(of file) (wrapped bool, err error) {
	if of.Size == 0 {
		return false, nil
	}
	alone := &input{options: f.options, files: []file{of}}
	err = alone.readStream(piece{0, 0, of.Size}, func(p *part) error {
		wrapped = isWrapped(p.peek(wrapBytes))
		return nil
	})
	return wrapped, err
}

// isWrapped reports whether a text has a wrapped record: its third line does not begin with +, and a line with + comes
// before the next line with @.
func isWrapped(text []byte) bool {
	for bases := -1; len(text) > 0; {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		switch text = rest; {
		case bases < 0 && len(chomp(line)) == 0:
		case bases < 0 && line[0] != '@':
			return false
		case bases < 0:
			bases = 0
		case len(line) == 0 || line[0] != '+':
			if bases++; len(line) > 0 && line[0] == '@' {
				return false
			}
		case bases > 1:
			return true
		default:
			_, text, _ = bytes.Cut(text, []byte{'\n'})
			bases = -1
		}
	}
	return false
}

func strayFASTQ(first byte) badRecord {
	if first == '@' {
		return "expected a line with + behind the bases: the record is truncated, or the first that is wrapped in its file"
	}
	return "expected a record that begins with @: name the file's format"
}

// begunFASTQ reports whether a record begins at this line.
func (p *part) begunFASTQ() begun {
	b := p.namesFASTQ(0)
	if b != longBegun {
		return b
	}
	p.dropLine() // the lines behind it do not fit beside it
	if next := p.peek(1); len(next) == 0 || next[0] == '@' {
		return notBegun
	}
	p.dropLine()
	if next := p.peek(1); len(next) == 0 || next[0] != '+' {
		return notBegun
	}
	return longBegun
}

// namesFASTQ reports whether a record begins at the line that is at bytes from here. It is longBegun if that depends on
// bytes farther away than the longest record.
func (p *part) namesFASTQ(at int) begun {
	if p.buf[p.pos+at] != '@' {
		return notBegun
	}
	for _, plus := range []bool{false, true} {
		n := 0
		for seen := at; n == 0; {
			b := p.buf[p.pos:p.end]
			if n = lineEnd(b, seen); n > 0 && n < len(b) {
				break
			}
			n, seen = 0, max(len(b)-1, at)
			if err := p.fill(); err == errLong {
				return longBegun
			} else if err != nil {
				return notBegun
			}
		}
		first := p.buf[p.pos+n]
		if plus && first != '+' || !plus && first == '@' {
			return notBegun
		}
		at = n
	}
	return hasBegun
}

// fastq takes a record.
func (p *part) fastq() (s Sequence, err error) {
	lines, last := 0, 0
	record, err := p.take(func(b []byte, seen int) int {
		for {
			n := lineEnd(b, seen)
			if n == 0 {
				return 0
			}
			if seen, lines = n, lines+1; lines == 4 {
				return n
			}
			last = n
		}
	})
	if err != nil {
		return s, err
	}
	n := len(record)
	p.again() // other records may begin within it
	if last < n && record[last] == '@' && p.namesFASTQ(last) != notBegun {
		return s, errShort
	}
	record = p.buf[p.pos : p.pos+n]
	var l [4][]byte
	for i := range l {
		l[i], record, _ = bytes.Cut(record, []byte{'\n'})
		l[i] = chomp(l[i])
	}
	if s, err = newFASTQ(l[0], l[1], l[2], l[3]); err == nil {
		p.pass(n)
	}
	return s, err
}

const errBases = badRecord("the bases have a blank, or a control character, or one outside ASCII: " +
	"the record is damaged")

const errReturn = badRecord(`the name has a carriage return: end lines with \n or \r\n, not \r alone`)

const errShort = badRecord("another record begins before the end of its quality: it is truncated")

// newFASTQ checks the parts of a record.
func newFASTQ(name, bases, again, quality []byte) (s Sequence, err error) {
	switch {
	case bytes.IndexByte(name, '\r') >= 0:
		return s, errReturn
	case len(bases) != len(quality):
		return s, badRecord("bases and quality differ in length: the record is truncated or damaged")
	case len(again) > 1 && !bytes.Equal(again[1:], name[1:]):
		return s, badRecord("the name behind + differs from the name behind @: the record is damaged")
	case !printing(bases):
		return s, errBases
	case !printing(quality):
		return s, badRecord("a quality is not from ! to ~: the record is damaged")
	}
	return Sequence{Name: name[1:], Bases: bases, Quality: quality}, nil
}

// begunWrapped reports whether a wrapped record begins here, with @. It is called where a record is due, or behind a
// mistake.
func (p *part) begunWrapped() begun {
	if p.peek(1)[0] == '@' {
		return hasBegun
	}
	return notBegun
}

// wrappedFASTQ takes a record whose bases and quality may have several lines.
func (p *part) wrappedFASTQ() (s Sequence, err error) {
	record, err := p.take(func(b []byte, _ int) int { _, n := splitWrapped(b, false); return n })
	if err != nil {
		return s, err
	}
	n := len(record)
	p.again()
	l, end := splitWrapped(p.buf[p.pos:p.pos+n], true)
	switch {
	case l[2] == nil:
		return s, badRecord("expected a line with + behind the bases: the record is truncated")
	case end == 0:
		return s, badRecord("the file ends before the end of its quality: the record is truncated")
	}
	if s, err = newFASTQ(l[0], l[1], l[2], l[3]); err == nil {
		p.pass(n)
	}
	return s, err
}

// splitWrapped joins the lines of the name, the bases, the line with + and the quality at the front of a text. n is the
// length of the record, or 0 if it ends behind the text. A line with @ among the bases ends the record. last means that
// no bytes follow the text.
func splitWrapped(b []byte, last bool) (l [4][]byte, n int) {
	next := func() (line []byte, ok bool) {
		end := lineEnd(b, n)
		if end == 0 && last {
			end = len(b)
		}
		if end <= n {
			return nil, false
		}
		line, n = chomp(b[n:end]), end
		return line, true
	}
	var ok bool
	if l[0], ok = next(); !ok {
		return l, 0
	}
	for l[2] == nil {
		before := n
		switch line, ok := next(); {
		case !ok:
			return l, 0
		case len(line) > 0 && line[0] == '@':
			return l, before
		case len(line) > 0 && line[0] == '+':
			l[2] = line
		default:
			l[1] = append(l[1], line...)
		}
	}
	for lines := 0; lines == 0 || len(l[3]) < len(l[1]); lines++ {
		line, ok := next()
		if !ok {
			return l, 0
		}
		l[3] = append(l[3], line...)
	}
	return l, n
}
