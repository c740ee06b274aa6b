package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/internal/disk"
)

// A swap gives a temporary file or folder its name, and can be taken back. Without Replace the name must still be free,
// with it what has the name must be what Replace replaces: others may have written there since Create.
type swap struct {
	options
	name, temp string
	old        string // where what had the name is kept; "" when there was nothing
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

// rename gives the name. What has it and what gets it change places at once where the file system can do that: a killed
// process leaves one of the two there.
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

// keepAside keeps what had the name, and has another one now, until all ranks agree; back takes that back.
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

// undo takes back what do has done, as far as it came.
func (s *swap) undo() {
	if s.done && s.old != "" && exchange(s.old, s.name) == nil {
		os.RemoveAll(s.old)
		return
	}
	if s.done {
		os.RemoveAll(s.name)
	}
	if s.old != "" {
		_ = renameNew(s.old, s.name) // what was there is there again, or under its other name
	}
}

// keep removes what had the name before.
func (s *swap) keep() error {
	if s.old == "" {
		return nil
	}
	return errors.Join(disk.Meets("remove", s.old), os.RemoveAll(s.old))
}
