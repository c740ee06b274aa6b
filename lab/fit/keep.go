package fit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
)

// Place is the file of the parameters of this machine: pebbles/parameters.json in the user's configuration folder.
func Place() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("fit: there is no folder for configuration: %w: name a file", err)
	}
	return filepath.Join(folder, "pebbles", "parameters.json"), nil
}

// Write stores parameters in a file, whose folder is made if need be. The file is whole or, after an error, as it was
// before.
func Write(name string, f model.File) error {
	text, err := f.Encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("fit: make a folder for the parameters: %w: name another file", err)
	}
	if err := lab.WriteFile(name, text); err != nil {
		return fmt.Errorf("fit: write the parameters: %w: name another file", err)
	}
	return nil
}

// Read reads parameters that Write has stored.
func Read(name string) (model.File, error) {
	text, err := values.Text(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return model.File{}, fmt.Errorf("fit: there are no parameters in %s: run pebbles fit first", name)
	case err != nil:
		return model.File{}, fmt.Errorf("fit: read the parameters: %w", err)
	}
	f, err := model.DecodeFile(text)
	if err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Measurement is a link of a class as it was measured.
type Measurement struct {
	Class model.Class
	Link  model.Link
	model.Measured
}

// File puts measurements and costs together. A class that was not measured has the link of the next nearer class, or,
// when there is none, of the next farther one; at least one was measured. The cost of a frame is without the overheads
// of the link in memory.
func File(all []Measurement, c Costs, cores model.Cores, now time.Time) model.File {
	f := model.File{
		Format: model.FileFormat, Machine: lab.ThisMachine().String(), Date: now.UTC().Truncate(time.Second),
		Measured: map[string]model.Measured{},
	}
	p := &f.Parameters
	links := []*model.Link{&p.Process, &p.Host, &p.Network}
	known := make([]bool, len(links))
	for _, m := range all {
		*links[m.Class], known[m.Class] = m.Link, true
		f.Measured[m.Class.String()] = m.Measured
	}
	for class, others := range [][]model.Class{
		{model.Host, model.Network}, {model.Process, model.Network}, {model.Host, model.Process},
	} {
		for _, other := range others {
			if !known[class] && known[other] {
				*links[class] = *links[other]
				break
			}
		}
	}
	p.Pebble, p.Cores = c.Pebble, cores
	p.Frame = max(0, c.Frame-2*p.Process.Overhead)
	return f
}
