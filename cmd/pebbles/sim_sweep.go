package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// fixed are the flags of a sweep as a whole.
var fixed = []string{"sweep", "plot", "trace", "json"}

func mayVary(flag string) bool { return !slices.Contains(fixed, flag) }

// each runs the command line again for each point of the sweep, with the axes' flags last. It checks all points before
// it runs the first one.
func (s *simulation) each(j *job) error {
	axes, err := sweepOf(s.sweep, mayVary, "the name of a flag")
	if err != nil {
		return err
	}
	if s.plot != "" && axes.along() < 0 {
		return errNoAlong
	}
	for _, values := range axes.points() {
		if err := s.at(j, axes.words(values), func(*simulation, *job) error { return nil }); err != nil {
			return err
		}
	}
	var points []point[simulated]
	for _, values := range axes.points() {
		result, err := s.one(j, axes.words(values))
		if err != nil {
			return err
		}
		points = append(points, point[simulated]{values, result})
		if j.settings.JSON {
			if err := written(result.encode(j)); err != nil {
				return err
			}
		}
	}
	if !j.settings.JSON {
		if err := written(tabulate(j, axes, points)); err != nil {
			return err
		}
	}
	if s.plot == "" {
		return nil
	}
	return failed(drawSweep(s.plot, j.name, axes, points, simulatedMeasures("Simulated "+j.name+", ")))
}

// at parses one point's command line and calls what is to be done with it.
func (s *simulation) at(j *job, words []string, do func(*simulation, *job) error) error {
	inner := s.terminal
	inner.args = slices.Clone(j.args)
	for _, word := range words {
		inner.args = append(inner.args, "--"+word)
	}
	inner.swept = do
	_, err := newCommand(inner).ExecuteC()
	return err
}

// one runs one point.
func (s *simulation) one(j *job, words []string) (result simulated, err error) {
	err = s.at(j, words, func(one *simulation, j *job) error {
		if !j.settings.log.quiet {
			fmt.Fprintln(s.stderr, strings.Join(words, " "))
		}
		var err error
		if result, err = one.run(j); err != nil {
			return err
		}
		return result.judge()
	})
	return result, err
}

// columns are a sweep's figures for each point.
var columns = []struct {
	name string
	of   func(simulated) string
}{
	{"predicted", func(r simulated) string { return secondsText(r.outcome.report.Seconds) }},
	{"frames", func(r simulated) string { return grouped(r.outcome.report.Counters.FramesSent) }},
	{"bytes", func(r simulated) string { return bytesText(int64(r.outcome.report.Counters.BytesSent)) }},
	{"buffers", func(r simulated) string { return fmt.Sprint(r.outcome.report.Memory.Buffers) }},
	{"hops", func(r simulated) string { return fmt.Sprintf("%.3f", r.hops()) }},
	{"rounds", func(r simulated) string { return grouped(r.outcome.report.Counters.Rounds) }},
	{"messages", func(r simulated) string { return grouped(r.outcome.report.Counters.DetectionSent) }},
	{"memory", func(r simulated) string { return bytesText(r.outcome.report.Memory.BuffersPeak) }},
}

// tabulate prints a sweep for people.
func tabulate(j *job, axes sweep, points []point[simulated]) error {
	t := tabwriter.NewWriter(j.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, a := range axes {
		fmt.Fprintf(t, "%s\t", a.name)
	}
	for _, c := range columns {
		fmt.Fprintf(t, "%s\t", c.name)
	}
	fmt.Fprintln(t)
	for _, p := range points {
		for _, v := range p.values {
			fmt.Fprintf(t, "%s\t", v)
		}
		for _, c := range columns {
			fmt.Fprintf(t, "%s\t", c.of(p.result))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// simulatedMeasures are what a sweep draws, each under a name that begins so.
func simulatedMeasures(begins string) []measure[simulated] {
	return []measure[simulated]{
		{begins + "time", "ms", func(r simulated) float64 { return 1e3 * r.outcome.report.Seconds }},
		{begins + "frames", "frames a rank", func(r simulated) float64 { return r.each(r.outcome.report.Counters.FramesSent) }},
		{begins + "buffers", "buffers a rank at most", func(r simulated) float64 { return float64(r.outcome.report.Memory.Buffers) }},
		{begins + "detection", "messages a rank", func(r simulated) float64 { return r.each(r.outcome.report.Counters.DetectionSent) }},
	}
}

// each is a count divided by the ranks.
func (r simulated) each(count uint64) float64 {
	return float64(count) / float64(r.outcome.report.Ranks)
}
