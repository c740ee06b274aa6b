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

// publish gives finished parts their name. It is collective.
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
	change := swap{options: s.options, name: s.place.name, temp: s.place.temp}
	if s.place.made {
		var here []Part
		for rank, p := range parts {
			if makers[rank] == int64(s.rank.ID()) {
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

// settle keeps a change that has come about everywhere, and takes it back otherwise. It is collective.
func (s *Sink[T]) settle(change *swap, err error) error {
	if err = dataset.Agree(s.rank, s.blame(err)); err != nil {
		change.undo()
		return err
	}
	return dataset.Agree(s.rank, s.blame(change.keep()))
}

// publishFile puts parts one behind the other. Each rank copies its own.
func (s *Sink[T]) publishFile(parts []Part) (*Manifest, error) {
	name := filepath.Join(s.place.temp, "whole")
	err := error(nil)
	if s.rank.ID() == 0 {
		err = disk.WriteFile(name, nil, 0o666)
	}
	if err := dataset.Agree(s.rank, s.blame(err)); err != nil {
		return nil, err
	}
	offset := int64(0)
	for _, p := range parts[:s.rank.ID()] {
		offset += p.Bytes
	}
	err = copyTo(name, offset, filepath.Join(s.place.temp, parts[s.rank.ID()].Name))
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
	m.Parts = []Part{{Name: filepath.Base(s.place.name), Rows: m.Rows, Bytes: m.Bytes}}
	return m, nil
}

// copyTo copies a part to its place in the file, and removes it.
func copyTo(name string, offset int64, part string) error {
	to, err := disk.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	from, err := os.Open(part)
	if err != nil {
		return errors.Join(err, to.Close())
	}
	defer from.Close()
	_, err = to.Seek(offset, io.SeekStart)
	if err == nil {
		_, err = io.Copy(to, from) // by the kernel where it can: it shares what the file system can share
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
	m := &Manifest{Format: s.format, Parts: parts}
	for _, p := range parts {
		m.Rows += p.Rows
		m.Bytes += p.Bytes
	}
	return m
}

// gather gathers the parts of all ranks.
func gather(r *pebble.Rank, own Part) ([]Part, error) {
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	texts, err := r.AllGatherBytes(text)
	if err != nil {
		return nil, err
	}
	parts := make([]Part, len(texts))
	for rank, text := range texts {
		err = errors.Join(err, json.Unmarshal(text, &parts[rank]))
	}
	return parts, err
}
