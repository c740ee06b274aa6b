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

// A Sink writes the records of one rank.
type Sink[T any] struct {
	options
	rank     *pebble.Rank
	format   Format[T]
	place    *place
	part     *part
	writer   Writer[T]
	rows     int64
	note     json.RawMessage
	complete func() error // collective, before the writer closes; nil for none
	err      error        // first error; it stays
	ended    bool         // the writer is closed
	closed   bool
}

// A Format turns records of type T into bytes. Lines, CSV and other functions of this package make formats; Parts makes
// one of your own. A Format holds no state: ranks may share it.
type Format[T any] struct {
	name   string // extension of parts' names
	own    bool   // it compresses itself, and its files cannot be concatenated
	packs  bool   // it compresses itself
	joint  Joint  // joins parts that are complete files; nil: they cannot be joined
	common func() []byte
	count  func(v T) int64 // rows in one Write; nil: one
	open   func(s setting) (Writer[T], error)
}

// A setting is the arguments of a format's writer.
type setting struct {
	io.Writer
	cut    func() error // ends a frame if the part is compressed
	first  bool         // the part is the beginning of a file
	common []byte       // made by rank 0 for all ranks
}

// A Writer writes records to one part. Close writes the rest of them; its caller closes the part.
type Writer[T any] interface {
	Write(v T) error
	Close() error
}

// Parts makes a format whose parts are written, and possibly compressed, by a Writer: Parquet, or a format of your own.
// OneFile and Zstd are errors with it. Names of parts end with a point and the format's name.
func Parts[T any](name string, open func(w io.Writer) (Writer[T], error)) Format[T] {
	of := func(s setting) (Writer[T], error) { return open(s.Writer) }
	return Format[T]{name: name, own: true, packs: true, open: of}
}

// Joined returns a format from Parts whose parts a joint joins to one file, so that it supports OneFile.
func Joined[T any](format Format[T], by Joint) Format[T] {
	format.joint = by
	return format
}

// Create starts writing. It is collective: all ranks call it between epochs, with the same arguments, and get the same
// error. name is that of a folder, or with OneFile of a file. It must not exist yet, but the folder that contains it
// must. Each host that does not share that folder makes its own, for the parts of its ranks.
func Create[T any](r *pebble.Rank, name string, format Format[T], opts ...Option) (*Sink[T], error) {
	return create(r, name, format, optionsOf(opts))
}

func create[T any](r *pebble.Rank, name string, format Format[T], o options) (*Sink[T], error) {
	s := &Sink[T]{options: o, rank: r, format: format}
	switch {
	case format.own && format.joint == nil && s.oneFile:
		return nil, fmt.Errorf("write %s: files of %s cannot be concatenated: leave export.OneFile out",
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

// open creates this rank's part.
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

// Write writes a record. The caller owns the record again when Write returns. The first error stays the sink's error.
// Most records go to a buffer of 256 KiB.
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

// Note stores a JSON text in the manifest of a folder, for [ReadManifest]. All ranks give the same text before Close.
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

// Close ends writing: it syncs the output of all ranks to the disk, and gives it its name. It is collective, between
// epochs. An error on any rank is an error on all, and nothing is left. One case differs: if the old output that
// [Replace] replaces cannot be removed, which is the last step, the new output has its name. The manifest lists the
// parts of all ranks.
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

// Abort removes output that has not been closed. It acts on this rank alone, and does nothing after Close: defer it, so
// that nothing is left when the job fails. A killed process leaves a folder whose name begins with a point and ends
// with .tmp and a number.
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
