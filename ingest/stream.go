package ingest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
)

// A piece is one rank's share of a file: the records that begin behind from and up to to, or at 0. Offsets are those of
// the stored file, hence of compressed bytes in a compressed file.
type piece struct {
	file     int
	from, to int64
}

// An agreed file is read up to the size that all ranks have agreed on.
type agreed struct {
	*os.File
	size   int64
	failed atomic.Pointer[error] // first error of reading it
}

// openAgreed opens a file, and returns an error if it has been truncated or replaced since Open.
func openAgreed(f file) (*agreed, error) {
	opened, err := os.Open(f.Name)
	if err != nil {
		return nil, fmt.Errorf("read %w", advise(err))
	}
	a := &agreed{File: opened, size: f.Size}
	if info, err := opened.Stat(); err != nil || info.Size() < f.Size {
		opened.Close()
		return nil, errors.Join(err, a.wasCut())
	} else if f.info != nil && !os.SameFile(info, f.info) {
		opened.Close()
		return nil, fmt.Errorf("read %s: the file was replaced while the job read it: run again", f.Name)
	}
	return a, nil
}

// ReadAt implements io.ReaderAt. It does not read bytes that were appended after the ranks agreed on sizes.
func (a *agreed) ReadAt(p []byte, offset int64) (int, error) {
	if offset >= a.size {
		return 0, io.EOF
	}
	whole := len(p)
	p = p[:min(int64(whole), a.size-offset)]
	n, err := a.File.ReadAt(p, offset)
	switch {
	case n == len(p) && n < whole:
		return n, io.EOF
	case n == len(p):
		return n, nil
	case err == io.EOF:
		err = a.wasCut()
	}
	a.failed.CompareAndSwap(nil, &err)
	return n, err
}

func (a *agreed) wasCut() error {
	return fmt.Errorf("read %s: the file was truncated while the job read it; it had %d bytes: write it again, and "+
		"run again", a.Name(), a.size)
}

// section returns a reader of a part of the file.
func (a *agreed) section(from, to int64) io.Reader { return io.NewSectionReader(a, from, to-from) }

// A stream is the uncompressed bytes of a piece and of the rest of its file: the last record of a piece may end
// anywhere.
type stream struct {
	reader io.Reader
	edge   int64                     // number of bytes of the piece; math.MaxInt64 until it is known
	n      int64                     // bytes read
	then   func() (io.Reader, error) // opens the rest behind the piece; nil if that is open or empty
	close  func()
}

// openStream opens the stream of a piece. The caller closes it.
func openStream(files []file, p piece) (*stream, error) {
	f := files[p.file]
	a, err := openAgreed(f)
	if err != nil {
		return nil, err
	}
	if f.Kind == plain {
		return &stream{reader: a.section(p.from, f.Size), edge: p.to - p.from, close: func() { a.Close() }}, nil
	}
	d := decompressor{kind: f.Kind, name: f.Name}
	s := &stream{edge: math.MaxInt64, close: func() { d.close(); a.Close() }}
	if s.reader, err = d.open(a.section(p.from, p.to)); err != nil {
		s.close()
		return nil, err
	}
	if p.to < f.Size {
		s.then = func() (io.Reader, error) { return d.open(a.section(p.to, f.Size)) }
	}
	return s, nil
}

// damage reads the rest of a compressed stream, and returns its decompression error.
func (s *stream) damage() error {
	if _, packed := s.reader.(damage); !packed {
		return nil
	}
	_, err := io.Copy(io.Discard, s.reader)
	return err
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.reader.Read(p)
	s.n += int64(n)
	if err == io.EOF && s.then != nil {
		s.edge = s.n
		s.reader, err = s.then()
		s.then = nil
	}
	if n == 0 && err == nil {
		return s.Read(p) // a reader may return nothing; the rest opens at most once
	}
	return n, err
}
