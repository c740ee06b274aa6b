package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/activepebbles/pebbles/model"
)

// show is what a prediction or a sweep looks like.
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
	return json.NewEncoder(s.stdout).Encode(struct {
		App         string       `json:"app"`
		Parameters  string       `json:"parameters"`
		Predictions []prediction `json:"predictions"`
		Crossovers  []crossover  `json:"crossovers,omitempty"`
	}{"model", s.from, all, s.crossovers})
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
		if _, err := fmt.Fprintln(s.stdout, c); err != nil {
			return err
		}
	}
	return nil
}

// predictedMeasures are what a sweep draws.
var predictedMeasures = []measure[prediction]{
	{"Predicted time", "ms", func(p prediction) float64 { return 1e3 * p.Seconds }},
	{"Predicted frames", "frames", func(p prediction) float64 { return p.Frames }},
	{"Predicted buffers", "buffers a rank", func(p prediction) float64 { return float64(p.Buffers) }},
}

// draw puts plots of what could be predicted into a folder.
func (s *show) draw() error {
	var whole []point[prediction]
	for _, p := range s.points {
		if p.result.Left == "" {
			whole = append(whole, p)
		}
	}
	return drawSweep(s.plot, whole[0].result.Topology, s.axes, whole, predictedMeasures)
}
