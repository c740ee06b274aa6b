package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// series is one figure: how it is measured, and what came out.
type series struct {
	name    string
	unit    string
	command string                  // as a user would type it; empty for what this program does itself
	measure func() (float64, error) // one repeat
	values  []float64
}

func (s *series) median() float64 {
	sorted := slices.Sorted(slices.Values(s.values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// app measures a field of an application's JSON, scaled.
func app(binary, name, unit, field string, scale float64, args ...string) *series {
	s := &series{name: name, unit: unit, command: "pebbles " + strings.Join(args, " ")}
	s.measure = func() (float64, error) {
		cmd := exec.Command(binary, append(args, "--json")...)
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
func run(all []*series, repeats int) error {
	for i := range repeats {
		for _, s := range all {
			v, err := s.measure()
			if err != nil {
				return err
			}
			s.values = append(s.values, v)
			fmt.Fprintf(os.Stderr, "repeat %d of %d: %s: %.4g %s\n", i+1, repeats, s.name, v, s.unit)
		}
	}
	return nil
}
