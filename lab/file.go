package lab

import (
	"encoding/json"
	"fmt"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/internal/values"
)

// Write writes the results to a file as JSON. The file is complete or, after an error, unchanged.
func (r Results) Write(name string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = machine.WriteFile(name, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return nil
}

// Read reads results written by Write.
func Read(name string) (Results, error) {
	text, err := values.Text(name)
	if err != nil {
		return Results{}, err
	}
	var version struct{ Format int }
	if err := json.Unmarshal(text, &version); err != nil || version.Format == 0 {
		return Results{}, fmt.Errorf("%s is not a file of results: give one that --json has written", name)
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

// check refuses results without samples.
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
