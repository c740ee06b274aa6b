package fit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
