package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/model"
)

// axis is a flag that a sweep varies.
type axis struct {
	name   string
	values []string
	flag   *pflag.Flag
}

// sweepable are the flags that a sweep may vary.
func sweepable() []string {
	return []string{"ranks", "topology", "coalesce", "pebbles", "bytes", "per-process", "per-host", "hit", "depth", "termination"}
}

// axesOf reads --sweep flags.
func axesOf(sweeps []string, flags *pflag.FlagSet) (axes []axis, err error) {
	for _, sweep := range sweeps {
		name, list, ok := strings.Cut(sweep, "=")
		if !ok || list == "" || !slices.Contains(sweepable(), name) {
			return nil, fmt.Errorf("--sweep %q: write one of %s, and values, such as ranks=16,256,4096", sweep, strings.Join(sweepable(), ", "))
		}
		if slices.ContainsFunc(axes, func(a axis) bool { return a.name == name }) {
			return nil, fmt.Errorf("--sweep %s is there twice: give all values at once", name)
		}
		a := axis{name, strings.Split(list, ","), flags.Lookup(name)}
		for _, value := range a.values {
			if err := a.flag.Value.Set(value); err != nil {
				return nil, fmt.Errorf("--sweep %s=%s: %w", name, value, err)
			}
		}
		axes = append(axes, a)
	}
	return axes, nil
}

// point is one prediction of a sweep, with the value of each axis.
type point struct {
	Values map[string]string `json:"values,omitempty"`
	model.Prediction
	Left string `json:"left_out,omitempty"` // why there is no prediction: a topology that can't connect so many ranks
}

// sweep predicts every combination of values, the last axis the fastest. What some of them can't is left out and said; when none
// can, that is the error.
func (m *predictor) sweep(p *model.Parameters, axes []axis) (points []point, err error) {
	surveys := map[string]model.Shape{}
	whole := 0
	for at := range combinations(axes) {
		one := point{Values: map[string]string{}}
		for _, a := range slices.Backward(axes) {
			value := a.values[at%len(a.values)]
			at /= len(a.values)
			one.Values[a.name] = value
			if err := a.flag.Value.Set(value); err != nil {
				return nil, err
			}
		}
		r, fault := m.predict(p, surveys)
		if fault != nil {
			one.Left, err = m.plainly(fault).Error(), fault
		} else {
			one.Prediction = r
			whole++
		}
		points = append(points, one)
	}
	if whole == 0 {
		return nil, err
	}
	return points, nil
}

func combinations(axes []axis) (n int) {
	n = 1
	for _, a := range axes {
		n *= len(a.values)
	}
	return n
}

// crossover is from where on one value of an axis is faster than another.
type crossover struct {
	Axis   string `json:"axis"` // along which
	Slower string `json:"slower_before"`
	Faster string `json:"faster_from"`
	At     string `json:"at"` // the first value of the axis from which on it is faster at all that follow; "" when there is none
}

// crossovers compares the first topology of a sweep with each other one along the axis of numbers, when these two are all axes.
func crossovers(axes []axis, points []point) (all []crossover) {
	if len(axes) != 2 {
		return nil
	}
	along, over := axes[0], axes[1]
	if along.name == "topology" {
		along, over = over, along
	}
	if over.name != "topology" || !along.numeric() {
		return nil
	}
	seconds := map[[2]string]float64{}
	for _, p := range points {
		if p.Left == "" {
			seconds[[2]string{p.Values[along.name], p.Values["topology"]}] = p.Seconds
		}
	}
	first := over.values[0]
	for _, other := range over.values[1:] {
		c := crossover{Axis: along.name, Slower: first, Faster: other}
		for _, value := range along.values {
			a, okA := seconds[[2]string{value, first}]
			b, okB := seconds[[2]string{value, other}]
			switch {
			case !okA || !okB:
			case b >= a:
				c.At = ""
			case c.At == "":
				c.At = value
			}
		}
		all = append(all, c)
	}
	return all
}

// numeric tells whether all values are numbers above 0.
func (a axis) numeric() bool {
	return !slices.ContainsFunc(a.values, func(v string) bool {
		n, err := strconv.ParseFloat(v, 64)
		return err != nil || n <= 0
	})
}
