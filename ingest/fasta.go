package ingest

import "bytes"

// A Sequence is a record of a FASTA or FASTQ file. Its slices are good until the next one.
type Sequence struct {
	Name    []byte // the line behind > or @: an identifier, and often a blank and words
	Bases   []byte // of all its lines, without their ends
	Quality []byte // as long as Bases; nil in FASTA files
}

// FASTA gives the records of FASTA files: a line that begins with >, and the lines of the sequence up to the next one.
// What may stand in a sequence is not checked. A record is at most RowLimit bytes long, which a chromosome may exceed.
// What is before the first record and not empty is a record that cannot be read.
func FASTA() Format[Sequence] {
	return Format[Sequence]{"fasta", func(in *input) (reader[Sequence], error) {
		return sequences{input: in, sync: (*part).toFASTA, next: (*part).fasta}, nil
	}}
}

// sequences reads formats whose records begin at some lines.
type sequences struct {
	*input
	sync func(p *part) bool              // goes to the first line from this one on that begins a record of the piece
	next func(p *part) (Sequence, error) // takes a record; a badRecord stays where it is
}

func (sequences) prepare() error { return nil }

func (sequences) finder() finder { return nil }

func (s sequences) read(p piece, yield func(Sequence) bool) error {
	return s.readStream(p, func(p *part) error { return s.each(p, yield) })
}

func (s sequences) each(p *part, yield func(Sequence) bool) error {
	if !p.start() || p.piece.from > 0 && !s.sync(p) {
		return p.ended()
	}
	for p.skipEmpty(); p.begins(); p.skipEmpty() {
		at := p.at()
		v, err := s.next(p)
		if err == nil {
			if p.Rows++; !yield(v) {
				return errStop
			}
			continue
		}
		if _, ok := err.(badRecord); !ok && err != errLong {
			return err
		}
		if err := p.bad(at, err); err != nil {
			return err
		}
		if !p.skipLine() || !s.sync(p) {
			return p.ended()
		}
	}
	return nil
}

// A badRecord says what is wrong with a record, which is left where it is.
type badRecord string

func (b badRecord) Error() string { return string(b) }

// toFASTA goes to the next line that begins with >.
func (p *part) toFASTA() bool {
	for p.begins() {
		if next := p.peek(1); len(next) == 0 || next[0] == '>' {
			return len(next) > 0
		}
		if !p.skipLine() {
			return false
		}
	}
	return false
}

// skipEmpty goes behind empty lines.
func (p *part) skipEmpty() {
	for {
		next := p.peek(2)
		if len(next) == 0 || next[0] != '\n' && string(next) != "\r\n" {
			return
		}
		p.pos += 1 + bytes.IndexByte(next, '\n')
	}
}

// fasta takes a record.
func (p *part) fasta() (s Sequence, err error) {
	if next := p.peek(1); len(next) > 0 && next[0] != '>' {
		return s, badRecord("found no > at the beginning of the first record: name the file's format")
	}
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
	return Sequence{Name: chomp(name), Bases: join(text)}, nil
}

// join takes the ends of lines out of a text, in place.
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
