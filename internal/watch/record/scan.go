package record

import (
	"bufio"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
)

// damage is a part of a file that is no line.
type damage struct {
	offset, bytes int64
	newlines      int
	last          bool // the file ends with it
}

// scanner hands out the lines of a file in order, and what lies between them. It keeps no more than one line.
type scanner struct {
	in      *bufio.Reader
	offset  int64
	bad     damage
	line    func(kind string, says []byte)
	damaged func(damage)
}

// scan reads a file to its end, or as far as it can be read.
func scan(file io.Reader, line func(kind string, says []byte), damaged func(damage)) error {
	s := scanner{in: bufio.NewReaderSize(file, headMax+lineMax+1), line: line, damaged: damaged}
	for {
		next, err := s.in.Peek(1)
		if err != nil {
			s.bad.last = true
			s.flush()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		switch {
		case s.take():
		case next[0] == '\n' && s.bad.bytes == 0:
			s.discard(1) // what a cut write was ended with
		default:
			s.skip()
		}
	}
}

// take hands out the line that comes next, if one does.
func (s *scanner) take() bool {
	head, _ := s.in.Peek(headMax)
	sum, length, size, ok := parseHead(head)
	if !ok {
		return false
	}
	text, _ := s.in.Peek(size + length)
	if len(text) < size+length || crc32.Checksum(text[size:], castagnoli) != sum {
		return false
	}
	s.flush()
	kind, says, _ := bytes.Cut(text[size:], []byte(" "))
	s.line(string(kind), says)
	s.discard(size + length)
	switch end, _ := s.in.Peek(1); {
	case len(end) == 0:
	case end[0] == '\n':
		s.discard(1)
	default: // the length says where the next line begins
		s.spoil(1, 1)
		s.discard(1)
	}
	return true
}

// skip goes to the end of what looks like a line, and is none.
func (s *scanner) skip() {
	for {
		text, err := s.in.ReadSlice('\n')
		s.spoil(len(text), bytes.Count(text, []byte("\n")))
		s.offset += int64(len(text))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (s *scanner) spoil(n, newlines int) {
	if s.bad.bytes == 0 {
		s.bad.offset = s.offset
	}
	s.bad.bytes += int64(n)
	s.bad.newlines += newlines
}

func (s *scanner) discard(n int) {
	n, _ = s.in.Discard(n) // all of it is in the buffer
	s.offset += int64(n)
}

func (s *scanner) flush() {
	if s.bad.bytes > 0 {
		s.damaged(s.bad)
	}
	s.bad = damage{}
}
