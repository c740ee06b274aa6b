package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/activepebbles/pebbles/internal/benchmark"
	"github.com/activepebbles/pebbles/internal/plots"
	"github.com/activepebbles/pebbles/netio/launch"
)

// simAxis is a flag whose values a sweep goes through.
type simAxis struct {
	flag   string
	values []string
}

// simPoint is one run of a sweep: a value of each axis, and what came of it.
type simPoint struct {
	values []string
	result simulated
}

func (s *simulation) axes() (all []simAxis, err error) {
	for _, text := range s.sweep {
		flag, values, _ := strings.Cut(text, "=")
		if flag == "" || values == "" || slices.Contains([]string{"sweep", "plot", "trace", "json"}, flag) {
			return nil, fmt.Errorf("--sweep %s: write the name of a flag and its values, such as ranks=16,256", text)
		}
		all = append(all, simAxis{flag, strings.Split(values, ",")})
	}
	return all, nil
}

// each runs the command line again for each point of the sweep, with the axes' flags behind all others.
func (s *simulation) each(j *job) error {
	axes, err := s.axes()
	if err != nil {
		return err
	}
	if s.plot != "" {
		if err := os.MkdirAll(s.plot, 0o755); err != nil {
			return &failure{launch.ExitError, err}
		}
	}
	var points []simPoint
	for _, values := range products(axes) {
		result, err := s.at(j, axes, values)
		if err != nil {
			return err
		}
		points = append(points, simPoint{values, result})
		if j.settings.json {
			if err := written(result.encode(j)); err != nil {
				return err
			}
		}
	}
	if !j.settings.json {
		if err := written(tabulate(j, axes, points)); err != nil {
			return err
		}
	}
	if s.plot == "" {
		return nil
	}
	return s.draw(j, axes, points)
}

// products are all combinations of values, the last axis going fastest.
func products(axes []simAxis) [][]string {
	all := [][]string{nil}
	for _, a := range axes {
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

// at runs one point.
func (s *simulation) at(j *job, axes []simAxis, values []string) (result simulated, err error) {
	inner := s.terminal
	inner.args = slices.Clone(j.args)
	for i, a := range axes {
		inner.args = append(inner.args, "--"+a.flag+"="+values[i])
	}
	inner.swept = func(one *simulation, j *job) error {
		if !j.settings.diary.quiet {
			fmt.Fprintln(s.stderr, strings.Join(named(axes, values), " "))
		}
		if result, err = one.run(j); err != nil {
			return err
		}
		return result.judge()
	}
	_, err = newCommand(inner).ExecuteC()
	return result, err
}

func named(axes []simAxis, values []string) (all []string) {
	for i, a := range axes {
		all = append(all, a.flag+"="+values[i])
	}
	return all
}

// tabulate prints a sweep for people.
func tabulate(j *job, axes []simAxis, points []simPoint) error {
	t := tabwriter.NewWriter(j.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, a := range axes {
		fmt.Fprintf(t, "%s\t", a.flag)
	}
	fmt.Fprintln(t, "predicted\tframes\tbytes\tbuffers\thops\trounds\tmemory\t")
	for _, p := range points {
		for _, v := range p.values {
			fmt.Fprintf(t, "%s\t", v)
		}
		r := p.result.outcome.report
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.3f\t%d\t%s\t\n", secondsText(r.Seconds), grouped(r.Counters.FramesSent), bytesText(int64(r.Counters.BytesSent)),
			r.Memory.Buffers, p.result.hops(), r.Counters.Rounds, bytesText(r.Memory.BuffersPeak))
	}
	return t.Flush()
}

// draw draws the predicted times: over the first axis when its values are numbers, and a curve for each combination of the others.
func (s *simulation) draw(j *job, axes []simAxis, points []simPoint) error {
	group := benchmark.GroupResult{Name: "simulated " + j.name}
	for _, p := range points {
		at, err := strconv.ParseFloat(p.values[0], 64)
		if err != nil {
			return fmt.Errorf("--plot draws over the first --sweep, whose values must be numbers: %q is none", p.values[0])
		}
		name := strings.Join(named(axes[1:], p.values[1:]), " ")
		if name == "" {
			name = j.name
		}
		group.Results = append(group.Results, &benchmark.Result{
			Case:    benchmark.Case{Name: strings.Join(named(axes, p.values), " "), Unit: "ms", Point: &benchmark.Point{Curve: name, Axis: axes[0].flag, At: at}},
			Samples: []benchmark.Sample{{Value: 1e3 * p.result.outcome.report.Seconds}},
		})
	}
	if _, err := plots.Write(s.plot, benchmark.Results{Groups: []benchmark.GroupResult{group}}); err != nil {
		return &failure{launch.ExitError, err}
	}
	return nil
}
