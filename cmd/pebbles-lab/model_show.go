package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/model"
)

// crossover is the point from which one value of an axis is faster than another.
type crossover struct {
	Axis   string `json:"axis"` // horizontal axis
	Slower string `json:"slower_before"`
	Faster string `json:"faster_from"`
	// first value of the axis from which it is faster at all following ones; "" if none
	At string `json:"at"`
}

// String describes the crossover.
func (c crossover) String() string {
	if c.At == "" {
		return fmt.Sprintf("%s is not faster than %s for good at any of these", c.Faster, c.Slower)
	}
	return fmt.Sprintf("%s is faster than %s from %s %s on", c.Faster, c.Slower, c.At, c.Axis)
}

// crossovers compares the first topology of a sweep with each other topology along the axis of numbers, if the sweep
// has exactly these two axes.
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

// show prints a prediction or a sweep.
type show struct {
	*predictor
	from       string
	axes       sweep
	points     []point[prediction]
	crossovers []crossover
}

func (s *show) print() error {
	switch {
	case s.json:
		return s.encode()
	case len(s.axes) == 0:
		return s.one(s.points[0].result.Prediction)
	}
	return s.table()
}

func (s *show) encode() error {
	all := make([]prediction, len(s.points))
	for i, p := range s.points {
		all[i] = p.result
	}
	return json.NewEncoder(s.Stdout).Encode(struct {
		App         string       `json:"app"`
		Parameters  string       `json:"parameters"`
		Predictions []prediction `json:"predictions"`
		Crossovers  []crossover  `json:"crossovers,omitempty"`
	}{"model", s.from, all, s.crossovers})
}

// one prints a prediction part by part.
func (s *show) one(r model.Prediction) error {
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "model\t%s, %s topology, %s a buffer, ends by %s, parameters of %s\n", command.Plural(r.Ranks, "rank",
		"ranks"), r.Topology,
		command.Plural(r.Coalesce, "pebble", "pebbles"), r.Detector, s.from)
	for _, part := range r.Parts() {
		fmt.Fprintf(w, "%s\t%s", part.Name, valueText(part.Value, part.Unit))
		if s.explain {
			fmt.Fprintf(w, "\t%s", part.Formula)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// valueText formats a value in its unit.
func valueText(v float64, unit string) string {
	switch {
	case unit == "s":
		return timeText(v)
	case unit == "B" && v < 1<<60:
		return command.BytesText(int64(v + 0.5))
	case v >= 1000 && v < 1<<62:
		return command.Grouped(uint64(v + 0.5))
	}
	return fmt.Sprintf("%.4g", v)
}

// timeText formats seconds with four digits, in a suitable unit.
func timeText(s float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if s >= unit.size {
			return fmt.Sprintf("%.4g %s", s/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.4g ns", s*1e9)
}

// table prints a sweep, one line per prediction.
func (s *show) table() error {
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	for _, a := range s.axes {
		fmt.Fprintf(w, "%s\t", a.name)
	}
	fmt.Fprintln(w, "time\tpebbles\toverhead\tgap\tbytes\tlatency\ttermination\tframes\tbuffers\tmemory\thops")
	for _, one := range s.points {
		for _, v := range one.values {
			fmt.Fprintf(w, "%s\t", v)
		}
		p := one.result
		if p.Left != "" {
			fmt.Fprintf(w, "-\t%s\n", p.Left)
			continue
		}
		for _, seconds := range []float64{p.Seconds, p.Pebble, p.Overhead, p.Gap, p.Byte, p.Latency, p.Termination} {
			fmt.Fprintf(w, "%s\t", timeText(seconds))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\n", valueText(p.Frames, ""), p.Buffers, valueText(p.BufferBytes, "B"), p.Hops)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range s.crossovers {
		if _, err := fmt.Fprintln(s.Stdout, c); err != nil {
			return err
		}
	}
	return nil
}

// predictedMeasures are the measures that a sweep draws.
var predictedMeasures = []measure[prediction]{
	{"Predicted time", "ms", func(p prediction) float64 { return 1e3 * p.Seconds }},
	{"Predicted frames", "frames", func(p prediction) float64 { return p.Frames }},
	{"Predicted buffers", "buffers a rank", func(p prediction) float64 { return float64(p.Buffers) }},
}

// draw draws plots of the predictions into a folder.
func (s *show) draw() error {
	var whole []point[prediction]
	for _, p := range s.points {
		if p.result.Left == "" {
			whole = append(whole, p)
		}
	}
	return drawSweep(s.plot, whole[0].result.Topology, s.axes, whole, predictedMeasures)
}
