package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/model"
)

// parametersUsage is what a flag for parameters takes.
func parametersUsage() string {
	return "parameters: a file of pebbles fit, or " + strings.Join(model.Names(), " or ") + " (default what pebbles fit has kept for this machine)"
}

// parametersOf finds parameters by name or in a file; "" means those saved by pebbles fit. from is where they were
// found.
func parametersOf(name string) (p model.Parameters, from string, err error) {
	if slices.Contains(model.Names(), name) {
		p, err = model.ByName(name)
		return p, name, err
	}
	if name == "" {
		if name, err = fit.Place(); err != nil {
			return p, "", err
		}
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return p, "", errors.New("there are no parameters of this machine: run pebbles fit first, or give --parameters " +
				strings.Join(model.Names(), " or "))
		}
	}
	f, err := fit.Read(name)
	return f.Parameters, name, err
}
