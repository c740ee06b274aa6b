package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/internal/disk"
)

// segments are the files of one process: the first file, which is kept, and the latest.
type segments struct {
	head  []byte // first line of each segment
	bound int64  // in bytes, for all segments
	open  func(segment int) (io.WriteCloser, error)
	drop  func(segment int) error

	next   int // number of the next segment
	file   io.WriteCloser
	headed bool // the current segment has its head
	torn   bool // the last write was cut: the next one begins a line
	sizes  []segmentSize
}

type segmentSize struct {
	segment int
	bytes   int64
}

// segmentsMost bounds the files of a process, even if a full disk keeps them short.
const segmentsMost = 32

// segmentMax returns the greatest length of a segment.
func segmentMax(bound int64, segment int) int64 {
	if segment == 0 {
		return bound / 8
	}
	return bound / 16
}

// newSegments continues the first file of a process, which is empty.
func newSegments(dir, token string, process int, first io.WriteCloser, head []byte, bound int64) *segments {
	path := func(segment int) string { return filepath.Join(dir, segmentName(token, process, segment)) }
	return &segments{
		head:  head,
		bound: bound,
		open: func(segment int) (io.WriteCloser, error) {
			if segment == 0 {
				return first, nil
			}
			return openNew(path(segment))
		},
		drop: func(segment int) error { return disk.Remove(path(segment)) },
	}
}

// write appends lines to the current segment, or to a new one if they would make it too long.
func (s *segments) write(lines []byte) error {
	var closed error
	if s.file != nil && s.overflows(len(lines)) {
		closed = s.Close()
	}
	if s.file == nil {
		if err := s.begin(int64(len(s.head) + len(lines))); err != nil {
			return errors.Join(closed, err)
		}
	}
	return errors.Join(closed, s.append(lines))
}

// overflows reports whether another n bytes of lines exceed the maximum of the current segment.
func (s *segments) overflows(n int) bool {
	if s.torn {
		n++
	}
	if !s.headed {
		n += len(s.head)
	}
	current := s.sizes[len(s.sizes)-1]
	return current.bytes > 0 && current.bytes+int64(n) > segmentMax(s.bound, current.segment)
}

// append writes lines to the current segment.
func (s *segments) append(lines []byte) error {
	var text []byte
	if s.torn {
		text = append(text, '\n')
	}
	if !s.headed {
		text = append(text, s.head...)
	}
	text = append(text, lines...)
	n, err := s.file.Write(text)
	if n > 0 {
		s.torn = n < len(text)
		s.sizes[len(s.sizes)-1].bytes += int64(n)
	}
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	s.headed = true
	return nil
}

// begin removes old segments to make room, and opens the next one.
func (s *segments) begin(least int64) error {
	room := max(segmentMax(s.bound, s.next), least)
	var err error
	for len(s.sizes) > 1 && (s.bytes()+room > s.bound || len(s.sizes) >= segmentsMost) && err == nil {
		if err = s.drop(s.sizes[1].segment); err == nil || errors.Is(err, os.ErrNotExist) {
			s.sizes = append(s.sizes[:1], s.sizes[2:]...)
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("make room for the record: %w", err)
	}
	file, err := s.open(s.next)
	if errors.Is(err, os.ErrExist) {
		s.next++ // a file of another writer
	}
	if err != nil {
		return fmt.Errorf("begin a new file of the record: %w", err)
	}
	s.sizes = append(s.sizes, segmentSize{segment: s.next})
	s.next++
	s.file, s.headed, s.torn = file, false, false
	return nil
}

func (s *segments) bytes() (n int64) {
	for _, one := range s.sizes {
		n += one.bytes
	}
	return n
}

// Close closes the current segment.
func (s *segments) Close() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	if err := file.Close(); err != nil {
		return fmt.Errorf("close a file of the record: %w", err)
	}
	return nil
}
