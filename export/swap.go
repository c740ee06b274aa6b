package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/internal/disk"
)

// A swap gives a temporary file or folder its final name, and can be undone. Others may have written there since
// Create, so it checks again: without Replace the name must be free; with Replace it may belong only to something
// replaceable.
type swap struct {
	options
	name, temp string
	old        string // path of the replaced output; "" if there was none
	done       bool
}

// do renames.
func (s *swap) do() error {
	if err := s.rename(); err != nil {
		return err
	}
	s.done = true
	return syncFolder(filepath.Dir(s.name))
}

// rename gives the name. Where the file system can, the old and the new output exchange names atomically: a killed
// process leaves one of the two under the name.
func (s *swap) rename() error {
	if !s.replace {
		return renameNew(s.temp, s.name)
	}
	err := disk.Meets("rename", s.temp)
	if err == nil {
		err = exchange(s.temp, s.name)
	}
	switch {
	case err == nil:
		return s.keepAside(s.temp, func() { _ = exchange(s.temp, s.name) })
	case errors.Is(err, errors.ErrUnsupported):
		if err := s.keepAside(s.name, func() {}); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return renameNew(s.temp, s.name)
}

// keepAside keeps the replaced output, now at path now, until all ranks agree. back reverts the exchange on an error.
func (s *swap) keepAside(now string, back func()) error {
	info, err := os.Lstat(now)
	if err == nil {
		err = s.replaceable(now, info)
	}
	if err == nil {
		err = disk.Rename(now, s.temp+".old")
	}
	if err != nil {
		back()
		return err
	}
	s.old = s.temp + ".old"
	return nil
}

// undo reverts do, as far as it got.
func (s *swap) undo() {
	if s.done && s.old != "" && exchange(s.old, s.name) == nil {
		os.RemoveAll(s.old)
		return
	}
	if s.done {
		os.RemoveAll(s.name)
	}
	if s.old != "" {
		_ = renameNew(s.old, s.name) // the old output has its name again, or keeps its other name
	}
}

// keep removes the replaced output.
func (s *swap) keep() error {
	if s.old == "" {
		return nil
	}
	return errors.Join(disk.Meets("remove", s.old), os.RemoveAll(s.old))
}
