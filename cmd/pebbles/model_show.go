package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/activepebbles/pebbles/internal/benchmark"
	"github.com/activepebbles/pebbles/internal/plots"
	"github.com/activepebbles/pebbles/model"
)

// show is what a prediction or a sweep looks like.
type show struct {
	*predictor
	from       string
	axes       []axis
	points     []point
	crossovers []crossover
}

func (s *show) print() error {
	switch {
	case s.json:
		return json.NewEncoder(s.stdout).Encode(struct {
			App         string      `json:"app"`
			Parameters  string      `json:"parameters"`
			Predictions []point     `json:"predictions"`
			Crossovers  []crossover `json:"crossovers,omitempty"`
		}{"model", s.from, s.points, s.crossovers})
	case len(s.axes) == 0:
		return s.one(s.points[0].Prediction)
	}
	return s.table()
}

// one prints a prediction part by part.
func (s *show) one(r model.Prediction) error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "model\t%s, %s topology, %s a buffer, ends by %s, parameters of %s\n", plural(r.Ranks, "rank", "ranks"), r.Topology,
		plural(r.Coalesce, "pebble", "pebbles"), r.Detector, s.from)
	for _, part := range r.Parts() {
		fmt.Fprintf(w, "%s\t%s", part.Name, valueText(part.Value, part.Unit))
		if s.explain {
			fmt.Fprintf(w, "\t%s", part.Formula)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// valueText writes a value in its unit.
func valueText(v float64, unit string) string {
	switch {
	case unit == "s":
		return timeText(v)
	case unit == "B" && v < 1<<60:
		return bytesText(int64(v + 0.5))
	case v >= 1000 && v < 1<<62:
		return grouped(uint64(v + 0.5))
	}
	return fmt.Sprintf("%.4g", v)
}

// timeText writes seconds with four digits, in a unit that suits them.
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

// table prints a sweep, one line a prediction.
func (s *show) table() error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, a := range s.axes {
		fmt.Fprintf(w, "%s\t", a.name)
	}
	fmt.Fprintln(w, "time\tpebbles\toverhead\tgap\tbytes\tlatency\ttermination\tframes\tbuffers\tmemory\thops")
	for _, p := range s.points {
		for _, a := range s.axes {
			fmt.Fprintf(w, "%s\t", p.Values[a.name])
		}
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
		if _, err := fmt.Fprintln(s.stdout, c); err != nil {
			return err
		}
	}
	return nil
}

// String is for people.
func (c crossover) String() string {
	if c.At == "" {
		return fmt.Sprintf("%s is not faster than %s for good at any of these", c.Faster, c.Slower)
	}
	return fmt.Sprintf("%s is faster than %s from %s %s on", c.Faster, c.Slower, c.At, c.Axis)
}

// draw puts plots of the sweep along its first axis of numbers into a folder, a curve for each combination of the others.
func (s *show) draw() error {
	var along *axis
	for i := range s.axes {
		if s.axes[i].numeric() {
			along = &s.axes[i]
			break
		}
	}
	if along == nil {
		return fmt.Errorf("--plot draws along numbers: sweep ranks or another number above 0")
	}
	results := benchmark.Results{Format: benchmark.Format}
	for _, of := range []struct {
		name, unit string
		value      func(point) float64
	}{
		{"Predicted time", "ms", func(p point) float64 { return 1e3 * p.Seconds }},
		{"Predicted frames", "frames", func(p point) float64 { return p.Frames }},
		{"Predicted buffers", "buffers a rank", func(p point) float64 { return float64(p.Buffers) }},
	} {
		g := benchmark.GroupResult{Name: of.name}
		for _, p := range s.points {
			if p.Left == "" {
				g.Results = append(g.Results, s.drawn(p, along, of.unit, of.value(p)))
			}
		}
		results.Groups = append(results.Groups, g)
	}
	_, err := plots.Write(s.plot, results)
	return err
}

func (s *show) drawn(p point, along *axis, unit string, value float64) *benchmark.Result {
	var curve []string
	for _, a := range s.axes {
		if a.name != along.name {
			curve = append(curve, strings.TrimPrefix(a.name+" ", "topology ")+p.Values[a.name])
		}
	}
	at, _ := strconv.ParseFloat(p.Values[along.name], 64)
	name := strings.Join(curve, ", ")
	if name == "" {
		name = p.Topology
	}
	return &benchmark.Result{
		Case:    benchmark.Case{Name: name, Unit: unit, Point: &benchmark.Point{Curve: name, Axis: along.name, At: at}},
		Samples: []benchmark.Sample{{Value: value}},
	}
}
