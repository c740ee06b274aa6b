package command

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/model"
)

// ParametersUsage returns the usage of a flag for parameters.
func ParametersUsage() string {
	return "parameters: a file of pebbles-lab fit, or " + strings.Join(model.Names(),
		" or ") + " (default what pebbles-lab fit has kept for this machine)"
}

// ParametersOf finds parameters by name or in a file; "" means those saved by pebbles-lab fit. from is their source.
func ParametersOf(name string) (p model.Parameters, from string, err error) {
	if slices.Contains(model.Names(), name) {
		p, err = model.ByName(name)
		return p, name, err
	}
	if name == "" {
		if name, err = machine.ParametersFile(); err != nil {
			return p, "", err
		}
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return p, "", errors.New("there are no parameters of this machine: " +
				"run pebbles-lab fit first, or give --parameters " +
				strings.Join(model.Names(), " or "))
		}
	}
	f, err := machine.ReadParameters(name)
	return f.Parameters, name, err
}
