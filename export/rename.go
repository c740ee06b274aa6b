package export

import (
	"errors"
	"io/fs"
	"os"

	"github.com/activepebbles/pebbles/internal/disk"
)

// errTaken is the error of a name that is taken.
var errTaken = errors.New("it exists already: remove it, choose another name, or set --replace (export.Replace)")

// renameNew renames a file or folder. It fails if the name is taken, even by another process a moment ago.
func renameNew(from, to string) error {
	err := disk.Meets("rename", from)
	if err == nil {
		err = renameExclusive(from, to)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = renameByLink(from, to)
	}
	if errors.Is(err, fs.ErrExist) {
		return errTaken
	}
	return err
}

// renameByLink is renameNew by calls that every system has. Making a link fails if its name is taken. A folder cannot
// replace a file or another folder.
func renameByLink(from, to string) error {
	info, err := os.Lstat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		if _, err := os.Lstat(to); err == nil {
			return fs.ErrExist // os.Rename would replace an empty folder
		}
		return os.Rename(from, to)
	}
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}
