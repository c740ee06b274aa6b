package export

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/pebble"
)

// publish gives finished parts their final name. It is collective.
func (s *Sink[T]) publish(own Part) (*Manifest, error) {
	parts, err := gather(s.rank, own)
	if err != nil {
		return nil, err
	}
	makers, err := pebble.AllGather(s.rank, int64(s.place.maker))
	if err != nil {
		return nil, err
	}
	if s.oneFile {
		return s.publishFile(parts)
	}
	keepers := s.keepers(makers)
	if err := s.copyParts(parts, keepers); err != nil {
		return nil, err
	}
	change := swap{options: s.options, name: s.place.name, temp: s.place.temp}
	if s.place.made {
		self := int64(s.rank.ID())
		var here []Part
		for rank, p := range parts {
			if makers[rank] == self || keepers != nil && makers[keepers[rank]] == self {
				here = append(here, p)
			}
		}
		err = s.manifest(here).write(s.place.temp)
		err = errors.Join(err, disk.Remove(filepath.Join(s.place.temp, makerPrefix+strconv.Itoa(s.rank.ID()))))
		if err == nil {
			err = change.do()
		}
	}
	if err := s.settle(&change, err); err != nil {
		return nil, err
	}
	return s.manifest(parts), nil
}

// settle keeps a change that has succeeded on all ranks, and reverts it otherwise. It is collective.
func (s *Sink[T]) settle(change *swap, err error) error {
	if err = dataset.Agree(s.rank, s.blame(err)); err != nil {
		change.undo()
		return err
	}
	return dataset.Agree(s.rank, s.blame(change.keep()))
}

// A Joint joins parts that are complete files to one file.
type Joint interface {
	// Cut returns the range of a finished part that goes into the file, and a note of the part for End. first is true
	// for rank 0.
	Cut(part io.ReaderAt, size int64, first bool) (piece Piece, err error)
	// End returns the bytes behind the last piece. begins has the offset of each piece in the file.
	End(pieces []Piece, begins []int64) ([]byte, error)
}

// A Piece is the range of a part that goes into a file.
type Piece struct {
	From, To int64  // offsets of the first byte, and of the one behind the last
	Note     []byte // for End
}

// piece returns the range of this rank's part that goes into the file.
func (s *Sink[T]) piece(own Part) (Piece, error) {
	if s.format.joint == nil {
		return Piece{To: own.Bytes}, nil
	}
	f, err := os.Open(filepath.Join(s.place.temp, own.Name))
	if err != nil {
		return Piece{}, err
	}
	defer f.Close()
	return s.format.joint.Cut(f, own.Bytes, s.rank.ID() == 0)
}

// publishFile concatenates the parts. Each rank copies its own.
func (s *Sink[T]) publishFile(parts []Part) (*Manifest, error) {
	name, own := filepath.Join(s.place.temp, "whole"), parts[s.rank.ID()]
	piece, err := s.piece(own)
	if err == nil && s.rank.ID() == 0 {
		err = disk.WriteFile(name, nil, 0o666)
	}
	if err := dataset.Agree(s.rank, s.blame(err)); err != nil {
		return nil, err
	}
	pieces, err := gather(s.rank, piece)
	if err != nil {
		return nil, err
	}
	size, err := s.fill(name, filepath.Join(s.place.temp, own.Name), pieces)
	if err := dataset.Agree(s.rank, s.blame(err)); err != nil {
		return nil, err
	}
	change := swap{options: s.options, name: s.place.name, temp: name}
	if s.rank.ID() == 0 {
		err = change.do()
	}
	if err := s.settle(&change, err); err != nil {
		return nil, err
	}
	s.place.remove()
	m := s.manifest(parts)
	m.Bytes, err = pebble.Broadcast(s.rank, 0, size)
	m.Parts = []Part{{Name: filepath.Base(s.place.name), Rows: m.Rows, Bytes: m.Bytes}}
	return m, err
}

// fill copies this rank's piece to its place in the file. Rank 0 also writes the end of the file, and gets its size.
func (s *Sink[T]) fill(name, part string, pieces []Piece) (size int64, err error) {
	var begins []int64
	for _, p := range pieces {
		begins = append(begins, size)
		size += p.To - p.From
	}
	var end []byte
	if s.format.joint != nil && s.rank.ID() == 0 {
		if end, err = s.format.joint.End(pieces, begins); err != nil {
			return 0, err
		}
	}
	own := pieces[s.rank.ID()]
	err = copyTo(name, begins[s.rank.ID()], part, own, end, size)
	return size + int64(len(end)), err
}

// copyTo copies a piece of a part to an offset of the file, and end to another. It removes the part.
func copyTo(name string, offset int64, part string, piece Piece, end []byte, endAt int64) error {
	to, err := disk.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	from, err := os.Open(part)
	if err != nil {
		return errors.Join(err, to.Close())
	}
	defer from.Close()
	if _, err = from.Seek(piece.From, io.SeekStart); err == nil {
		_, err = to.Seek(offset, io.SeekStart)
	}
	if err == nil { // by the kernel where it can: it shares extents where the file system can
		_, err = io.CopyN(to, from, piece.To-piece.From)
	}
	if len(end) > 0 && err == nil {
		if _, err = to.Seek(endAt, io.SeekStart); err == nil {
			_, err = to.Write(end)
		}
	}
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return err
	}
	return disk.Remove(part)
}

// manifest lists parts.
func (s *Sink[T]) manifest(parts []Part) *Manifest {
	m := &Manifest{Format: s.format.name, Parts: parts, Note: s.note}
	for _, p := range parts {
		m.Rows += p.Rows
		m.Bytes += p.Bytes
	}
	return m
}

// gather returns the values of all ranks. It is collective.
func gather[V any](r *pebble.Rank, own V) ([]V, error) {
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	texts, err := r.AllGatherBytes(text)
	if err != nil {
		return nil, err
	}
	all := make([]V, len(texts))
	for rank, text := range texts {
		err = errors.Join(err, json.Unmarshal(text, &all[rank]))
	}
	return all, err
}
