package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/internal/values"
)

// Write puts the results into a file as JSON. The file is whole or, after an error, as it was before.
func (r Results) Write(name string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = WriteFile(name, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return nil
}

// WriteFile puts text into a file in one step: the file is whole or, after an error, as it was before. A device such as
// /dev/stdout is written to.
func WriteFile(name string, text []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, text, 0o644)
	}
	part, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(part.Name()) }() // which is gone already when all went well
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

// Read reads results that Write has written.
func Read(name string) (Results, error) {
	text, err := values.Text(name)
	if err != nil {
		return Results{}, err
	}
	var version struct{ Format int }
	if err := json.Unmarshal(text, &version); err != nil || version.Format == 0 {
		return Results{}, fmt.Errorf("%s is no file of results: give one that --json has written", name)
	}
	if version.Format != Format {
		return Results{}, fmt.Errorf("%s is of format %d, and this program reads format %d: measure again with this "+
			"program, or read it with the one that wrote it", name, version.Format, Format)
	}
	var r Results
	if err := json.Unmarshal(text, &r); err != nil {
		return Results{}, fmt.Errorf("%s is damaged: %w", name, err)
	}
	return r, r.check(name)
}

// check refuses results that lack what a reader needs.
func (r Results) check(name string) error {
	for _, g := range r.Groups {
		for _, one := range g.Results {
			if one == nil || len(one.Samples) == 0 {
				return fmt.Errorf("%s is damaged: a case of group %q has no samples", name, g.Name)
			}
		}
	}
	return nil
}

// Writable returns an error when WriteFile cannot make a file of this name, so that a long measurement isn't lost at
// its end. An empty name is no file.
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
