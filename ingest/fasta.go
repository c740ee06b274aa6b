package ingest

import "bytes"

// A Sequence is a record of a FASTA or FASTQ file. Its slices are valid until the next record.
type Sequence struct {
	Name    []byte // the line behind > or @: an identifier, often followed by a blank and words
	Bases   []byte // of all its lines, without line ends
	Quality []byte // as long as Bases; nil in FASTA files
}

// FASTA gives the records of FASTA files. A record is a line that begins with >, and the lines of the sequence up to
// the next one. Bases are printing characters. Blanks, control characters and comments (;) among them make a record
// that cannot be read, as does text before the first record. A record has at most RowLimit bytes, which a chromosome
// may exceed.
func FASTA() Format[Sequence] {
	return Format[Sequence]{"fasta", func(in *input) (reader[Sequence], error) {
		return sequences{input: in, begun: (*part).begunFASTA, next: (*part).fasta, stray: func(byte) badRecord {
			return "expected a record that begins with >: name the file's format"
		}}, nil
	}}
}

// begunFASTA reports whether a record begins here, with >.
func (p *part) begunFASTA() begun {
	if p.peek(1)[0] == '>' {
		return hasBegun
	}
	return notBegun
}

// fasta takes a record.
func (p *part) fasta() (s Sequence, err error) {
	record, err := p.take(func(b []byte, seen int) int {
		from := max(seen-1, 0)
		if i := bytes.Index(b[from:], []byte("\n>")); i >= 0 {
			return from + i + 1
		}
		return 0
	})
	if err != nil {
		return s, err
	}
	name, text, _ := bytes.Cut(record[1:], []byte{'\n'})
	switch bases := join(text); {
	case bytes.IndexByte(chomp(name), '\r') >= 0:
		return s, errReturn
	case bytes.IndexByte(bases, ';') >= 0:
		return s, badRecord("a comment (;) stands among the bases: remove it")
	case !printing(bases):
		return s, errBases
	default:
		return Sequence{Name: chomp(name), Bases: bases}, nil
	}
}

// join removes line ends from a text, in place.
func join(text []byte) []byte {
	joined := text[:0]
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		text = text[len(line):]
		joined = append(joined, chomp(line)...)
	}
	return joined
}
