package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/activepebbles/pebbles/pebble"
)

// A Source is one rank's share of the records of files.
type Source[T any] struct {
	in     input
	reader reader[T]
	err    error
}

// A Format turns the bytes of files into records of type T. Lines, CSV and other functions of this package make
// formats; Blocks makes one for files of your own. A Format holds no state: ranks may share it.
type Format[T any] struct {
	name string
	open func(in *input) (reader[T], error)
}

// A reader reads pieces of files for one source.
type reader[T any] interface {
	// prepare is called at the end of Open, on all ranks. It is collective.
	prepare() error
	// finder returns nil for formats of records that follow each other without gaps.
	finder() finder
	// read calls yield with the records that begin in a piece. It returns errStop when yield returns false.
	read(p piece, yield func(T) bool) error
}

// uncutOf returns the uncut function of a reader if some of its files cannot be cut, otherwise nil.
func uncutOf[T any](r reader[T]) func(file) (bool, error) {
	if r, ok := r.(interface{ uncut(file) (bool, error) }); ok {
		return r.uncut
	}
	if p, ok := r.(interface {
		uncutOf() func(file) (bool, error)
	}); ok {
		return p.uncutOf()
	}
	return nil
}

// errStop ends reading; it is not an error.
var errStop = errors.New("stop")

// Open finds the files that patterns name, and gives each rank a share of about the same number of bytes. It is
// collective: all ranks call it between epochs, with the same arguments. All get the same error, except for names of
// hosts in it.
//
// A pattern is the name of a file, a pattern of [filepath.Match], or a folder that package export has written. Each
// file is read once, however many patterns name it. Pipes and other folders are errors. Files keep their present size:
// Source does not read bytes that are appended later, and a file that is truncated or replaced is an error.
//
// The manifest of a folder that package export has written lists its parts: a part that is missing or differs, and a
// file that is not listed, are errors. Open reads the parts once more for their checksums; see [Unchecked].
//
// Open reads the first bytes of each file, the headers of all blocks of compressed files, and all bytes of a CSV file
// that several ranks share (see CSV).
func Open[T any](r *pebble.Rank, patterns []string, format Format[T], opts ...Option) (*Source[T], error) {
	s := &Source[T]{in: input{rank: r, format: format.name, options: defaults(), missing: 1}}
	for _, opt := range opts {
		opt.apply(&s.in.options)
	}
	if s.in.rowLimit < 1 {
		return nil, fmt.Errorf("read %s: the row limit is %d bytes: expected at least 1", format.name,
			s.in.rowLimit)
	}
	var err error
	if s.reader, err = format.open(&s.in); err != nil {
		return nil, fmt.Errorf("read %s: %w", format.name, err)
	}
	if err := s.in.agree(patterns); err != nil {
		return nil, err
	}
	if err := s.in.look(s.reader.finder(), uncutOf(s.reader)); err != nil {
		return nil, err
	}
	s.in.dealt = s.in.deal(s.in.files, len(s.in.all))
	s.in.remember()
	if !s.in.unchecked {
		if err := s.in.checkParts(); err != nil {
			return nil, err
		}
	}
	if err := s.reader.prepare(); err != nil {
		return nil, err
	}
	return s, nil
}

// All yields this rank's records. It sends nothing and runs no handlers, so it may be called in an epoch's body or
// between epochs. Some formats reuse the memory of a record for the next one; their documentation says so. The loop
// ends at the first error, which Err returns. A loop that is left early leaves no file open. Another call reads all
// files again.
func (s *Source[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		s.err, s.in.counts = nil, counts{}
		for _, p := range s.in.mine() {
			s.in.Bytes += p.to - p.from
			err := s.reader.read(p, yield)
			if err == errStop {
				return
			}
			if err != nil {
				s.err, s.in.Failed = err, told{p.file, err.Error()}
				return
			}
		}
	}
}

// Err returns the error that ended the last loop over All on this rank: nil if the loop reached the end or was left.
func (s *Source[T]) Err() error { return s.err }

// Files returns the names of all files of this rank's host, in order. The caller may change the slice.
func (s *Source[T]) Files() []string {
	names := make([]string, len(s.in.files))
	for i, f := range s.in.files {
		names[i] = f.Name
	}
	return names
}

// readStream opens a piece, skips the byte order mark, and calls read. A mistake in a compressed file may be damage
// that only the checksum at the end reveals: then readStream returns that error.
func (in *input) readStream(p piece, read func(*part) error) error {
	s, err := openStream(in.files, p)
	if err != nil {
		return err
	}
	defer func() { s.close() }()
	part := &part{window: newWindow(s, in.rowLimit, in.buffer()), input: in, piece: p}
	defer func() { in.spare = part.buf }()
	part.counting, in.position = in.before != nil, part.position
	if p.from == 0 {
		part.skipMark()
	}
	switch err := read(part); err {
	case nil, io.EOF:
		return nil
	case errStop:
		return err
	default:
		return cmp.Or(s.damage(), err)
	}
}
