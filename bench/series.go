package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// series is one figure: how it is measured, and what came out.
type series struct {
	name    string
	unit    string
	command string                  // as a user would type it; empty for what this program does itself
	measure func() (float64, error) // one repeat
	against *series                 // what its share is of; nil for the first of its group
	values  []float64
}

// group is a table of figures that belong together.
type group struct {
	name   string
	about  string // what they show
	series []*series
}

func (s *series) median() float64 {
	sorted := slices.Sorted(slices.Values(s.values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// app measures a field of the JSON of an application, which is called with the arguments of a line; scaled.
func app(binary, name, unit, field string, scale float64, line string) *series {
	s := &series{name: name, unit: unit, command: "pebbles " + line}
	s.measure = func() (float64, error) {
		cmd := exec.Command(binary, append(strings.Fields(line), "--json")...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.command, err)
		}
		var result map[string]any
		if err := json.Unmarshal(out, &result); err != nil {
			return 0, fmt.Errorf("%s: read its result: %w", s.command, err)
		}
		value, ok := result[field].(float64)
		if errors, counted := result["errors"].(float64); !ok || !counted || errors != 0 {
			return 0, fmt.Errorf("%s: field %q is %v, errors are %v", s.command, field, result[field], result["errors"])
		}
		return value * scale, nil
	}
	return s
}

// run repeats all series in turn.
func run(all []group, repeats int) error {
	for i := range repeats {
		for _, g := range all {
			for _, s := range g.series {
				start := time.Now()
				v, err := s.measure()
				if err != nil {
					return err
				}
				s.values = append(s.values, v)
				fmt.Fprintf(os.Stderr, "repeat %d of %d, %.1f s: %s: %.4g %s\n", i+1, repeats, time.Since(start).Seconds(), s.name, v, s.unit)
			}
		}
	}
	return nil
}
