package words

import (
	"bytes"
	"math/rand/v2"

	"github.com/activepebbles/pebbles/distribution"
)

const (
	batch          = 1024     // words counted together
	held           = 64 << 10 // bytes of these words
	vocabularyMost = 1 << 40
	lineWords      = 12 // of the generated text
)

func hash(word []byte) uint64 { return distribution.HashBytes(word) }

// splitter splits lines into words, and passes these on in batches. It copies the lines, because they are invalid
// before a batch is full.
type splitter struct {
	take  func(words [][]byte)
	lines []byte
	words [][]byte
}

func (s *splitter) line(line []byte) {
	if len(s.words) >= batch || len(s.lines)+len(line) > cap(s.lines) {
		s.flush()
		if len(line) > cap(s.lines) {
			s.lines = make([]byte, 0, max(held, 2*len(line)))
		}
	}
	at := len(s.lines)
	s.lines = append(s.lines, line...)
	for rest := s.lines[at:]; ; {
		begin := 0
		for begin < len(rest) && blank(rest[begin]) {
			begin++
		}
		end := begin
		for end < len(rest) && !blank(rest[end]) {
			end++
		}
		if begin == end {
			return
		}
		s.words = append(s.words, rest[begin:end:end])
		rest = rest[end:]
	}
}

// flush passes on the remaining words.
func (s *splitter) flush() {
	if len(s.words) > 0 {
		s.take(s.words)
	}
	s.words, s.lines = s.words[:0], s.lines[:0]
}

// blank reports whether a byte separates words: it is ASCII white space, as in bytes.Fields.
func blank(b byte) bool { return b <= ' ' && (b == ' ' || b-'\t' < 5) }

// cut splits off the first line of a text.
func cut(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// fields is the plain twin of splitter.
func fields(text []byte) [][]byte {
	return bytes.FieldsFunc(text, func(r rune) bool { return r < 128 && blank(byte(r)) })
}

// Text returns one rank's part of the text generated for the given number of ranks: lines of words whose frequencies
// follow Zipf's law. Parts have about the same size; the caller owns them.
func Text(c Config, rank, ranks int) []byte {
	const exponent = 1.1
	c = c.withDefaults()
	random := rand.New(rand.NewPCG(c.Seed, uint64(rank)))
	zipf := rand.NewZipf(random, exponent, 1, uint64(c.Vocabulary)-1)
	n := c.Bytes/ranks + min(1, max(0, c.Bytes%ranks-rank))
	b := make([]byte, 0, n+64)
	for i := 1; len(b) < n; i++ {
		b = append(appendWord(b, zipf.Uint64()), ' ')
		if i%lineWords == 0 {
			b[len(b)-1] = '\n'
		}
	}
	return b[:n]
}

// appendWord appends the word of a number. Frequent words are short.
func appendWord(b []byte, n uint64) []byte {
	const letters = "etaoinshrdlcumwfgypbvkjxqz"
	for ; ; n = n/uint64(len(letters)) - 1 {
		b = append(b, letters[n%uint64(len(letters))])
		if n < uint64(len(letters)) {
			return b
		}
	}
}
