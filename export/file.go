package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/internal/disk"
)

// WriteFile writes a file by one process without a job, by the rules of Create with OneFile: when it returns nil, the
// file is under its name, whole and synced to the disk; otherwise it is not there. write gets a buffered writer.
// Replace is the only option with an effect.
func WriteFile(name string, write func(w io.Writer) error, opts ...Option) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", name, advise(err))
		}
	}()
	o, name := optionsOf(opts), filepath.Clean(name)
	o.oneFile = true
	temp, err := o.vacantFolder(name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	change := swap{options: o, name: name, temp: filepath.Join(temp, "whole")}
	if err = writeTo(change.temp, write); err == nil {
		err = change.do()
	}
	if err != nil {
		change.undo()
		return err
	}
	return change.keep()
}

// writeTo writes a new file, and syncs it.
func writeTo(name string, write func(w io.Writer) error) error {
	f, err := disk.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	to := bufio.NewWriterSize(f, bufferBytes)
	if err = write(to); err == nil {
		err = to.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Writable returns the error that WriteFile would return for the name, before any output exists: the name is taken, or
// the folder is not writable.
func Writable(name string, opts ...Option) error {
	o := optionsOf(opts)
	o.oneFile = true
	temp, err := o.vacantFolder(filepath.Clean(name))
	if err != nil {
		return fmt.Errorf("write %s: %w", name, advise(err))
	}
	return os.RemoveAll(temp)
}

// vacantFolder creates a temporary folder beside a name that is not taken.
func (o options) vacantFolder(name string) (temp string, err error) {
	if err := o.vacant(name); err != nil {
		return "", err
	}
	return os.MkdirTemp(filepath.Dir(name), "."+filepath.Base(name)+".tmp")
}
