package ingest

import "bytes"

// FASTQ gives the records of FASTQ files, which are four lines each: @ and the name, the bases, + and what follows, the
// quality. Sequences that are wrapped over more lines are refused, for what begins a record could not be told.
//
// A line of quality may begin with @, too. It is told by the line behind it, which is the next record's name then and
// begins with @, as bases do not.
func FASTQ() Format[Sequence] {
	return Format[Sequence]{"fastq", func(in *input) (reader[Sequence], error) {
		return sequences{input: in, sync: (*part).toFASTQ, next: (*part).fastq}, nil
	}}
}

// toFASTQ goes to the next line that is the name of a record.
func (p *part) toFASTQ() bool {
	for p.begins() {
		next := p.peek(1)
		if len(next) == 0 {
			return false
		}
		if next[0] == '@' {
			if below, ok := p.below(); ok && below != '@' {
				return true
			}
		}
		if !p.skipLine() {
			return false
		}
	}
	return false
}

// below is the first byte of the line behind the next one; there may be none.
func (p *part) below() (b byte, ok bool) {
	for seen := 0; ; {
		n := lineEnd(p.buf[p.pos:p.end], seen)
		if n > 0 && p.pos+n < p.end {
			return p.buf[p.pos+n], true
		}
		if seen = max(p.end-p.pos-1, 0); p.fill() != nil {
			return 0, false
		}
	}
}

// fastq takes a record.
func (p *part) fastq() (s Sequence, err error) {
	begin, lines := p.at(), 0
	record, err := p.take(func(b []byte, seen int) int {
		for {
			n := lineEnd(b, seen)
			if n == 0 {
				return 0
			}
			if seen, lines = n, lines+1; lines == 4 {
				return n
			}
		}
	})
	if err != nil {
		return s, err
	}
	var l [4][]byte
	rest := record
	for i := range l {
		l[i], rest, _ = bytes.Cut(rest, []byte{'\n'})
		l[i] = chomp(l[i])
	}
	if err := checkFASTQ(l); err != nil {
		p.pos -= int(p.at() - begin) // other records may begin in it
		return s, err
	}
	return Sequence{Name: l[0][1:], Bases: l[1], Quality: l[3]}, nil
}

func checkFASTQ(l [4][]byte) error {
	switch {
	case len(l[0]) == 0 || l[0][0] != '@':
		return badRecord("found no @ at the beginning of a record: name the file's format")
	case len(l[2]) == 0 || l[2][0] != '+':
		return badRecord("found no + behind the bases: the record is cut short, or wrapped over more than four " +
			"lines, which is not read")
	case len(l[1]) != len(l[3]):
		return badRecord("bases and quality differ in length: the record is cut short or damaged")
	}
	return nil
}
