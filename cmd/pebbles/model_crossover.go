package main

import "fmt"

// crossover is the point from which one value of an axis is faster than another.
type crossover struct {
	Axis   string `json:"axis"` // along which
	Slower string `json:"slower_before"`
	Faster string `json:"faster_from"`
	At     string `json:"at"` // the first value of the axis from which on it is faster at all that follow; "" when there is none
}

// String is for people.
func (c crossover) String() string {
	if c.At == "" {
		return fmt.Sprintf("%s is not faster than %s for good at any of these", c.Faster, c.Slower)
	}
	return fmt.Sprintf("%s is faster than %s from %s %s on", c.Faster, c.Slower, c.At, c.Axis)
}

// crossovers compares the first topology of a sweep with each other one along the axis of numbers, when these two are
// all axes.
func crossovers(axes sweep, points []point[prediction]) (all []crossover) {
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
		if r := p.result; r.Left == "" {
			seconds[[2]string{r.Values[along.name], r.Values["topology"]}] = r.Seconds
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
