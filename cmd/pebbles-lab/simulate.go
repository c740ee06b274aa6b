package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/cmd/internal/command"
)

// run is the action for a simulated job with checked flags.
type run func(*command.Simulation, *command.Job) error

// simulation is the command sim with sweeps and worlds.
type simulation struct {
	command.Terminal
	sweep []string
	plot  string // folder
	point run    // runs one point of a sweep; nil outside a sweep
}

// simOf returns the maker of the command sim. point runs a point of a sweep.
func simOf(point run) func(command.Terminal) *cobra.Command {
	return func(t command.Terminal) *cobra.Command {
		s := &simulation{Terminal: t, point: point}
		c := command.NewSim(t, s.begin)
		c.Long += "\n--sweep runs an application with each value of a flag. " +
			"--fuzz tries the runtime in many small worlds with faults\n" +
			"instead."
		c.Example = "  pebbles-lab sim epochs --count 10 --sweep ranks=16,256,1024 --json\n" +
			"  pebbles-lab sim --fuzz --seconds 10"
		fuzz := addFuzz(c, t)
		c.RunE = func(c *cobra.Command, _ []string) error {
			if fuzz.on {
				return fuzz.start()
			}
			return c.Help()
		}
		s.register(c)
		return c
	}
}

// register adds the flags of sweeps.
func (s *simulation) register(c *cobra.Command) {
	f := c.PersistentFlags()
	f.StringArrayVar(&s.sweep, "sweep", nil, "run with each value of a flag, such as ranks=16,256; repeatable")
	f.StringVar(&s.plot, "plot", "", "draw the predicted times of a sweep into a folder, as SVG")
	of := func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return axesNamed(axesAmong(c)), axesOf
	}
	if err := c.RegisterFlagCompletionFunc("sweep", of); err != nil {
		panic("pebbles-lab: " + err.Error())
	}
}

// begin runs an application's job with checked flags: once, or for each point of a sweep.
func (s *simulation) begin(one *command.Simulation, j *command.Job) error {
	switch {
	case s.point != nil:
		return s.point(one, j)
	case s.Begin != nil:
		return s.Begin(j)
	case len(s.sweep) > 0:
		return s.each(j)
	case s.plot != "":
		return errors.New("--plot draws a sweep: add --sweep, such as --sweep ranks=16,256")
	}
	return one.Once(j)
}

// fixed are the flags that apply to a sweep as a whole.
var fixed = []string{"sweep", "plot", "trace", "json"}

func mayVary(flag string) bool { return !slices.Contains(fixed, flag) }

// each reruns the command line for each point of the sweep, with the axes' flags last. It checks all points first.
func (s *simulation) each(j *command.Job) error {
	axes, err := sweepOf(s.sweep, mayVary, "the name of a flag")
	if err != nil {
		return err
	}
	if s.plot != "" && axes.along() < 0 {
		return errNoAlong
	}
	for _, values := range axes.points() {
		if err := at(j, axes.words(values), func(*command.Simulation, *command.Job) error { return nil }); err != nil {
			return err
		}
	}
	var points []point[command.Simulated]
	for _, values := range axes.points() {
		result, err := s.one(j, axes.words(values))
		if err != nil {
			return err
		}
		points = append(points, point[command.Simulated]{values, result})
		if j.JSON() {
			if err := command.Written(result.Encode(j)); err != nil {
				return err
			}
		}
	}
	if !j.JSON() {
		if err := command.Written(tabulate(j, axes, points)); err != nil {
			return err
		}
	}
	if s.plot == "" {
		return nil
	}
	return command.Failed(drawSweep(s.plot, j.Name, axes, points, simulatedMeasures("Simulated "+j.Name+", ")))
}

// at parses one point's command line and calls do with it.
func at(j *command.Job, words []string, do run) error {
	inner := j.Terminal
	inner.Args = slices.Clone(j.Args)
	for _, word := range words {
		inner.Args = append(inner.Args, "--"+word)
	}
	inner.Begin = nil
	_, err := command.New(programOf(do), inner).ExecuteC()
	return err
}

// one runs one point.
func (s *simulation) one(j *command.Job, words []string) (result command.Simulated, err error) {
	err = at(j, words, func(one *command.Simulation, j *command.Job) error {
		if !j.Quiet() {
			fmt.Fprintln(s.Stderr, strings.Join(words, " "))
		}
		var err error
		if result, err = one.Run(j); err != nil {
			return err
		}
		return result.Judge()
	})
	return result, err
}

// columns are a sweep's figures for each point.
var columns = []struct {
	name string
	of   func(command.Simulated) string
}{
	{"predicted", func(r command.Simulated) string { return command.SecondsText(r.Report().Seconds) }},
	{"frames", func(r command.Simulated) string { return command.Grouped(r.Report().Counters.FramesSent) }},
	{"bytes", func(r command.Simulated) string { return command.BytesText(int64(r.Report().Counters.BytesSent)) }},
	{"buffers", func(r command.Simulated) string { return fmt.Sprint(r.Report().Memory.Buffers) }},
	{"hops", func(r command.Simulated) string { return fmt.Sprintf("%.3f", r.Hops()) }},
	{"rounds", func(r command.Simulated) string { return command.Grouped(r.Report().Counters.Rounds) }},
	{"messages", func(r command.Simulated) string { return command.Grouped(r.Report().Counters.DetectionSent) }},
	{"memory", func(r command.Simulated) string { return command.BytesText(r.Report().Memory.BuffersPeak) }},
}

// tabulate prints a sweep as a table.
func tabulate(j *command.Job, axes sweep, points []point[command.Simulated]) error {
	t := tabwriter.NewWriter(j.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
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

// simulatedMeasures returns the measures that a sweep draws. begins is the prefix of their names.
func simulatedMeasures(begins string) []measure[command.Simulated] {
	return []measure[command.Simulated]{
		{begins + "time", "ms", func(r command.Simulated) float64 { return 1e3 * r.Report().Seconds }},
		{begins + "frames", "frames a rank",
			func(r command.Simulated) float64 { return r.Each(r.Report().Counters.FramesSent) }},
		{begins + "buffers", "buffers a rank at most",
			func(r command.Simulated) float64 { return float64(r.Report().Memory.Buffers) }},
		{begins + "detection", "messages a rank",
			func(r command.Simulated) float64 { return r.Each(r.Report().Counters.DetectionSent) }},
	}
}

// axesOf completes --sweep to the names of variable flags, each followed by the sign that precedes its values.
const axesOf = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp

func axesNamed(names []string) (all []string) {
	for _, name := range names {
		all = append(all, name+"=")
	}
	return all
}

// axesAmong returns the flags of a command that a sweep of simulations may vary.
func axesAmong(c *cobra.Command) (names []string) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if mayVary(f.Name) && f.Value.Type() != "bool" && !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
