package ingest

import "bytes"

// FASTQ gives the records of FASTQ files, which are four lines each: @ and the name, the bases, + and nothing or the
// name again, the quality. Bases are printing characters, and qualities are from ! to ~. Sequences that are wrapped
// over more lines are refused, for what begins a record could not be told.
//
// A record begins at a line with @ whose next line does not begin with @, and the one behind that begins with +. A line
// of quality may begin with @, too; behind it is the next record's name.
func FASTQ() Format[Sequence] {
	return Format[Sequence]{"fastq", func(in *input) (reader[Sequence], error) {
		return sequences{input: in, begun: (*part).begunFASTQ, next: (*part).fastq, stray: strayFASTQ}, nil
	}}
}

func strayFASTQ(first byte) badRecord {
	if first == '@' {
		return "found no + behind the bases: the record is cut short, or wrapped over more than four lines, which is " +
			"not read"
	}
	return "found no @ at the beginning of a record: name the file's format"
}

// begunFASTQ tells whether a record begins at this line.
func (p *part) begunFASTQ() begun {
	b := p.namesFASTQ(0)
	if b != longBegun {
		return b
	}
	p.dropLine() // what follows has no room beside it
	if next := p.peek(1); len(next) == 0 || next[0] == '@' {
		return notBegun
	}
	p.dropLine()
	if next := p.peek(1); len(next) == 0 || next[0] != '+' {
		return notBegun
	}
	return longBegun
}

// namesFASTQ tells whether the line that begins so many bytes from here begins a record: longBegun where that depends
// on bytes that are farther away than a record is long.
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
	p.again() // other records may begin in it
	if last < n && record[last] == '@' && p.namesFASTQ(last) != notBegun {
		return s, badRecord("another record begins where its quality should: it is cut short")
	}
	record = p.buf[p.pos : p.pos+n]
	var l [4][]byte
	for i := range l {
		l[i], record, _ = bytes.Cut(record, []byte{'\n'})
		l[i] = chomp(l[i])
	}
	if err := checkFASTQ(l); err != nil {
		return s, err
	}
	p.pass(n)
	return Sequence{Name: l[0][1:], Bases: l[1], Quality: l[3]}, nil
}

func checkFASTQ(l [4][]byte) error {
	switch {
	case len(l[1]) != len(l[3]):
		return badRecord("bases and quality differ in length: the record is cut short or damaged")
	case len(l[2]) > 1 && !bytes.Equal(l[2][1:], l[0][1:]):
		return badRecord("the name behind + is another one than that behind @: the record is damaged")
	case !printing(l[1]):
		return badRecord("a blank, or what is no character of ASCII, is among the bases: the record is damaged")
	case !printing(l[3]):
		return badRecord("a quality is not from ! to ~: the record is damaged")
	}
	return nil
}

// printing reports whether all bytes are characters of ASCII that print, without the blank.
func printing(text []byte) bool {
	for _, b := range text {
		if b-'!' > '~'-'!' {
			return false
		}
	}
	return true
}
