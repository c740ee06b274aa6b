package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/model"
)

// ApplicationRanks is the number of ranks of an application whose pebbles' costs are stored, unless its name gives
// another: enough that pebbles leave their rank.
const ApplicationRanks = 2

// ParametersFile returns the file of the parameters of this machine: pebbles/parameters.json in the user's
// configuration folder.
func ParametersFile() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("machine: there is no folder for configuration: %w: name a file", err)
	}
	return filepath.Join(folder, "pebbles", "parameters.json"), nil
}

// WriteParameters stores parameters in a file, and makes its folder if needed. The file is whole or, after an error,
// unchanged.
func WriteParameters(name string, f model.File) error {
	text, err := f.Encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("machine: make a folder for the parameters: %w: name another file", err)
	}
	if err := WriteFile(name, text); err != nil {
		return fmt.Errorf("machine: write the parameters: %w: name another file", err)
	}
	return nil
}

// ReadParameters reads parameters that WriteParameters has stored.
func ReadParameters(name string) (model.File, error) {
	text, err := values.Text(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return model.File{}, fmt.Errorf("machine: there are no parameters in %s: run pebbles-lab fit first", name)
	case err != nil:
		return model.File{}, fmt.Errorf("machine: read the parameters: %w", err)
	}
	f, err := model.DecodeFile(text)
	if err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}
