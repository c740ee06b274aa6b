package machine

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes text to a file in one step: the file is whole or, after an error, unchanged. It writes directly to a
// device such as /dev/stdout.
func WriteFile(name string, text []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, text, 0o644)
	}
	part, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(part.Name()) }() // after success the file is gone already
	_, err = part.Write(text)
	if err == nil {
		err = part.Chmod(0o644)
	}
	if closed := part.Close(); err == nil {
		err = closed // a full disk may be reported only here
	}
	if err == nil {
		err = os.Rename(part.Name(), name)
	}
	return err
}

// Writable returns an error if WriteFile cannot make a file of this name, so that a long measurement isn't lost at its
// end. An empty name stands for no file.
func Writable(name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return fmt.Errorf("%s is a folder: name a file", name)
		case !info.Mode().IsRegular():
			return nil
		}
	}
	part, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return fmt.Errorf("can't write %s: %w", name, err)
	}
	part.Close()
	return os.Remove(part.Name())
}
