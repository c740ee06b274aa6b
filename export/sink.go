package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
)

// A Sink is where a rank writes its records.
type Sink[T any] struct {
	options
	rank     *pebble.Rank
	format   Format[T]
	place    *place
	part     *part
	writer   Writer[T]
	rows     int64
	note     json.RawMessage
	complete func() error // collective, before the writer closes; nil for nothing
	err      error        // the first one, which stays
	ended    bool         // the writer is closed
	closed   bool
}

// A Format says how records of type T become bytes. Lines, CSV and the other functions of this package make them; Parts
// makes one of a format of your own. A Format holds no state: ranks may share it.
type Format[T any] struct {
	name   string // which is the end of parts' names
	own    bool   // whether it compresses by itself, and makes files that cannot be put one behind the other
	packs  bool   // whether it compresses by itself
	joint  Joint  // makes one file of parts that are files of their own; nil: they can't become one
	common func() []byte
	count  func(v T) int64 // rows of what is written at a time; nil: each is one
	open   func(s setting) (Writer[T], error)
}

// A setting is what a format's writer must know.
type setting struct {
	io.Writer
	cut    func() error // ends a frame, if the part is compressed
	first  bool         // whether the part is the beginning of a file
	common []byte       // what rank 0 has made, for all ranks
}

// A Writer writes records to one part. Close writes what is left of them; the part is closed by whoever opened it.
type Writer[T any] interface {
	Write(v T) error
	Close() error
}

// Parts makes a format whose parts a Writer writes, and compresses as it likes: Parquet, or one of your own. OneFile
// and Zstd refuse it. Names of parts end with a point and the format's name.
func Parts[T any](name string, open func(w io.Writer) (Writer[T], error)) Format[T] {
	of := func(s setting) (Writer[T], error) { return open(s.Writer) }
	return Format[T]{name: name, own: true, packs: true, open: of}
}

// Joined makes a format like one of Parts whose parts a joint makes one file of, so that it takes OneFile.
func Joined[T any](format Format[T], by Joint) Format[T] {
	format.joint = by
	return format
}

// Create begins to write. It is collective: all ranks call it between epochs, with the same arguments, and get the same
// error. name is that of a folder, or of a file with OneFile, which does not exist yet in a folder that does. Hosts
// that do not share that folder make one each, for the parts of their ranks.
func Create[T any](r *pebble.Rank, name string, format Format[T], opts ...Option) (*Sink[T], error) {
	return create(r, name, format, optionsOf(opts))
}

func create[T any](r *pebble.Rank, name string, format Format[T], o options) (*Sink[T], error) {
	s := &Sink[T]{options: o, rank: r, format: format}
	switch {
	case format.own && format.joint == nil && s.oneFile:
		return nil, fmt.Errorf("write %s: files of %s cannot be put one behind the other: leave export.OneFile out",
			name, format.name)
	case format.packs && s.packing != nil:
		return nil, fmt.Errorf("write %s: %s compresses by itself: leave %s out", name, format.name, s.packing.option)
	}
	var err error
	if s.place, err = newPlace(r, filepath.Clean(name), s.options); err != nil {
		return nil, err
	}
	var common []byte
	if format.common != nil && r.ID() == 0 {
		common = format.common()
	}
	if common, err = r.BroadcastBytes(0, common); err == nil {
		err = dataset.Agree(r, s.open(common))
	}
	if err != nil {
		s.Abort()
		return nil, err
	}
	return s, nil
}

// open makes this rank's part.
func (s *Sink[T]) open(common []byte) (err error) {
	first := !s.oneFile || s.rank.ID() == 0
	name := fmt.Sprintf("part-%05d-of-%05d.%s", s.rank.ID(), s.rank.Size(), s.format.name)
	if s.part, err = newPart(s.place.temp, name, s.packing, first, s.later); err != nil {
		return err
	}
	s.writer, err = s.format.open(setting{Writer: s.part, cut: s.part.cut, first: first, common: common})
	return s.blame(err)
}

func (s *Sink[T]) blame(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", s.place.name, advise(err))
}

// Write writes a record, which is the caller's again when it returns. Its first error stays the sink's. Most records go
// to a buffer of 256 KiB.
func (s *Sink[T]) Write(v T) error {
	if s.closed && s.err == nil {
		s.err = s.blame(errors.New("it is closed: write before Close or Abort"))
	}
	if s.err != nil {
		return s.err
	}
	s.err = s.blame(s.writer.Write(v))
	if s.format.count == nil {
		s.rows++
	} else {
		s.rows += s.format.count(v)
	}
	return s.err
}

// Note keeps a JSON text in the manifest of a folder, for [ReadManifest]. All ranks give the same before Close.
func (s *Sink[T]) Note(text json.RawMessage) { s.note = text }

// end closes the writer.
func (s *Sink[T]) end() error {
	if !s.ended && s.err == nil {
		s.err = s.blame(s.writer.Close())
	}
	s.ended = true
	return s.err
}

// Written ends the writing of records, and reports whether the file of a sink with [Later] has been written. Close
// waits for it.
func (s *Sink[T]) Written(frame.Access) bool {
	if !s.ended {
		_ = s.end() // Close returns the error
		s.part.begin()
	}
	return s.part.written()
}

// Close ends writing: it syncs what all ranks wrote to the disk, and gives it its name. It is collective, between
// epochs. An error on any rank is one on all: then nothing is left. Only where what [Replace] replaces could not be
// removed, which comes last, what was written has its name. The manifest lists the parts of all ranks.
func (s *Sink[T]) Close() (*Manifest, error) {
	if s.closed {
		return nil, s.blame(errors.New("it is closed already, or given up"))
	}
	if s.complete != nil {
		if s.err = dataset.Agree(s.rank, s.err); s.err == nil {
			s.err = s.blame(s.complete())
		}
	}
	err := s.end()
	var own Part
	if err == nil {
		own, err = s.part.finish()
		own.Rank, own.Rows = s.rank.ID(), s.rows
		err = s.blame(err)
	}
	if err := dataset.Agree(s.rank, err); err != nil {
		s.Abort()
		return nil, err
	}
	m, err := s.publish(own)
	if err != nil {
		s.Abort()
		return nil, err
	}
	s.closed = true
	return m, nil
}

// Abort gives up what has not been closed, and removes it. It is for this rank alone, and does nothing after Close:
// defer it, so that nothing is left where the job fails. What a killed process leaves is a folder whose name begins
// with a point and ends with .tmp and a number.
func (s *Sink[T]) Abort() {
	if s.closed {
		return
	}
	s.closed = true
	if s.part != nil {
		s.part.abort()
	}
	s.place.remove()
}
