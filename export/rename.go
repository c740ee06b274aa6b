package export

import (
	"errors"
	"io/fs"
	"os"

	"github.com/activepebbles/pebbles/internal/disk"
)

// errTaken refuses a name that something has.
var errTaken = errors.New("it exists already: remove it, choose another name, or set --replace (export.Replace)")

// renameNew renames a file or folder, and refuses a name that is taken, also by another process a moment ago.
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

// renameByLink is renameNew by calls that every system has. A link is refused where its name is taken; a folder takes
// the name of no file and of no folder.
func renameByLink(from, to string) error {
	info, err := os.Lstat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		if _, err := os.Lstat(to); err == nil {
			return fs.ErrExist // os.Rename would take the place of an empty folder
		}
		return os.Rename(from, to)
	}
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}
