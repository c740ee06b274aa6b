package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
)

// stdin is standard input as a file, which all ranks of this process read at many offsets.
type stdin struct {
	from   *os.File
	folder string // of the file; "" without one
}

const stdinName = "-"

// spool copies standard input to a file if names contains it, and returns the names with that file instead.
func (i *stdin) spool(s *settings, names []string) (all []string, err error) {
	at := slices.Index(names, stdinName)
	switch {
	case at < 0:
		return names, nil
	case slices.Contains(names[at+1:], stdinName):
		return nil, errors.New("standard input can be read once: name - once")
	case s.spread.Several() || launch.Started(s.spread.Alone):
		return nil, errors.New("standard input is read by one process: leave --procs and --hosts out, or name a file")
	}
	all = slices.Clone(names)
	if all[at], err = i.copy(); err != nil {
		return nil, fmt.Errorf("copy standard input: %w: name a file, or another folder in TMPDIR", err)
	}
	return all, nil
}

// copy copies standard input to a file in a new folder, and returns its name, which also appears in errors.
func (i *stdin) copy() (name string, err error) {
	if i.folder, err = os.MkdirTemp("", "pebbles-"); err != nil {
		return "", err
	}
	name = filepath.Join(i.folder, "stdin")
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, i.from)
	return name, cmp.Or(err, f.Close())
}

// removed makes a command remove the file at its end.
func (i *stdin) removed(c *cobra.Command) {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		err := run(c, args)
		if i.folder != "" {
			if failed := os.RemoveAll(i.folder); err == nil {
				err = Failed(failed)
			}
		}
		return err
	}
}
