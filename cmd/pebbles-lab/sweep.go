package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

// axis is a flag that a sweep varies.
type axis struct {
	name   string
	values []string
}

// sweep holds the axes of the --sweep flags. Its points are all combinations of their values.
type sweep []axis

// point is one combination, with a value for each axis, and its result.
type point[R any] struct {
	values []string
	result R
}

// sweepOf reads --sweep flags. Each names a variable flag and its values. which describes the variable flags.
func sweepOf(texts []string, may func(flag string) bool, which string) (s sweep, err error) {
	for _, text := range texts {
		name, list, _ := strings.Cut(text, "=")
		if name == "" || list == "" || !may(name) {
			return nil, fmt.Errorf("--sweep %q: write %s and its values, such as ranks=16,256,4096", text, which)
		}
		if slices.ContainsFunc(s, func(a axis) bool { return a.name == name }) {
			return nil, fmt.Errorf("--sweep %s is there twice: give all values at once", name)
		}
		s = append(s, axis{name, strings.Split(list, ",")})
	}
	return s, nil
}

// points returns all combinations of values. The last axis varies fastest.
func (s sweep) points() [][]string {
	all := [][]string{nil}
	for _, a := range s {
		var next [][]string
		for _, values := range all {
			for _, v := range a.values {
				next = append(next, append(slices.Clone(values), v))
			}
		}
		all = next
	}
	return all
}

// words describes a point by its values, such as "ranks=16".
func (s sweep) words(values []string) (all []string) {
	for i, a := range s {
		all = append(all, a.name+"="+values[i])
	}
	return all
}

// errNoAlong is the error of a sweep that cannot be drawn.
var errNoAlong = errors.New("--plot draws along numbers: sweep ranks or another number above 0")

// along returns the index of the first axis of numbers, or -1.
func (s sweep) along() int { return slices.IndexFunc(s, axis.numeric) }

// numeric reports whether all values are numbers above 0.
func (a axis) numeric() bool {
	return !slices.ContainsFunc(a.values, func(v string) bool {
		n, err := strconv.ParseFloat(v, 64)
		return err != nil || n <= 0
	})
}

// curve names the curve of a point in the plot: its values on all axes except the horizontal one.
func (s sweep) curve(values []string, along int) string {
	var words []string
	for i, a := range s {
		if i != along {
			words = append(words, strings.TrimPrefix(a.name+" ", "topology ")+values[i])
		}
	}
	return strings.Join(words, ", ")
}

// measure is a figure that a sweep plots.
type measure[R any] struct {
	name, unit string
	of         func(R) float64
}

// drawSweep draws a plot of each measure into a folder: along the first axis of numbers, with a curve for each
// combination of the others. A sweep of one axis has one curve, named by whole.
func drawSweep[R any](folder, whole string, s sweep, points []point[R], measures []measure[R]) error {
	along := s.along()
	if along < 0 {
		return errNoAlong
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var results lab.Results
	for _, m := range measures {
		g := lab.GroupResult{Name: m.name}
		for _, p := range points {
			name := s.curve(p.values, along)
			if name == "" {
				name = whole
			}
			at, _ := strconv.ParseFloat(p.values[along], 64) // it is numeric
			g.Dot(name, s[along].name, m.unit, at, m.of(p.result))
		}
		results.Groups = append(results.Groups, g)
	}
	_, err := plots.Write(folder, results)
	return err
}
