package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// simulation are the flags of the command beyond those of the application.
type simulation struct {
	terminal
	network string
	fabric  string
	faults  simulatedFaults
	cores   int    // of each host; 0: as the network says
	trace   string // file
	sweep   []string
	plot    string // folder
	limit   wait   // of virtual time
}

func newSim(t terminal) *cobra.Command {
	s := &simulation{terminal: t, network: "flat", limit: -1}
	c := &cobra.Command{
		Use:   "sim",
		Short: "Run an application under simulated time, at any size, and try the runtime in simulated worlds",
		Long: "sim runs an application's own command with the real runtime on a simulated network, in this process: with as many\n" +
			"ranks as memory allows, whose times come from a model of the network (LogGP) and not from this machine. The same command line gives\n" +
			"the same run. --procs is how many processes to simulate, by default as many as the network says. --fuzz tries the runtime in\n" +
			"many small worlds with faults instead.",
		Example: "  pebbles sim randomaccess --ranks 256 --log2-words 8 --topology hypercube --network odin\n" +
			"  pebbles sim epochs --count 10 --sweep ranks=16,256,1024 --json\n" +
			"  pebbles sim --fuzz --seconds 10",
		Args: noCommand,
	}
	fuzz := addFuzz(c, t)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if fuzz.on {
			return fuzz.start()
		}
		return c.Help()
	}
	s.register(c)
	inner := t
	inner.begin = s.begin
	for _, app := range []func(terminal) *cobra.Command{
		newRandomAccess, newPermutation, newPointerChase, newBFS, newSSSP, newCentrality, newAllToAll, newReduce, newEpochs,
		newUTS, newPing, newStressmark, newAccess, newPages, newContagion, newNBody,
	} {
		c.AddCommand(simulatedApp(app(inner)))
	}
	return c
}

// register adds the flags that all simulated applications share.
func (s *simulation) register(c *cobra.Command) {
	f := c.PersistentFlags()
	f.SortFlags = false
	f.StringVar(&s.network, "network", s.network, "what frames and pebbles cost: "+strings.Join(sim.Names(), ", ")+", "+byFit+" by pebbles fit, or a file")
	f.Var(count(&s.cores, 1, "as the network says"), "cores", "cores of each host, which its ranks share")
	f.StringVar(&s.fabric, "fabric", "", "what lies between hosts: fat-tree, torus or dragonfly (default what the network says)")
	s.faults.register(f)
	f.StringVar(&s.trace, "trace", "", "write what happens to a file, a line each")
	f.StringArrayVar(&s.sweep, "sweep", nil, "run with each value of a flag, such as ranks=16,256; repeatable")
	f.StringVar(&s.plot, "plot", "", "draw the predicted times of a sweep into a folder, as SVG")
	f.Var(&s.limit, "limit", "of virtual time, or never")
	completes(c, "network", cobra.ShellCompDirectiveDefault, append(sim.Names(), byFit)...) // or a file
	completes(c, "fabric", cobra.ShellCompDirectiveNoFileComp, "fat-tree", "torus", "dragonfly")
	completes(c, "limit", cobra.ShellCompDirectiveNoFileComp, "never")
	of := func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return axesNamed(axesAmong(c)), axesOf
	}
	if err := c.RegisterFlagCompletionFunc("sweep", of); err != nil {
		panic("pebbles: " + err.Error())
	}
}

// simulatedApp makes an application's command, and those below it, commands of sim.
func simulatedApp(c *cobra.Command) *cobra.Command {
	for _, sub := range c.Commands() {
		simulatedApp(sub)
	}
	c.Short += ", simulated"
	first, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	line := "  pebbles sim " + strings.TrimPrefix(first, "pebbles ")
	c.Example = line + "\n" + line + " --ranks 64 --network odin"
	return c
}

// begin runs an application's job, whose flags have been checked: once, or for each point of a sweep.
func (s *simulation) begin(j *job) error {
	switch {
	case s.swept != nil:
		return s.swept(s, j)
	case s.terminal.begin != nil:
		return s.terminal.begin(j)
	}
	if len(s.sweep) > 0 {
		return s.each(j)
	}
	if s.plot != "" {
		return errors.New("--plot draws a sweep: add --sweep, such as --sweep ranks=16,256")
	}
	result, err := s.run(j)
	if err != nil {
		return err
	}
	return s.report(j, result)
}

// run simulates the job.
func (s *simulation) run(j *job) (result simulated, err error) {
	log := j.settings.log.logger(j.stderr)
	if j.settings.parameters = s.network; s.network == byFit {
		j.settings.parameters = ""
	}
	config, err := j.settings.config(log)
	if err != nil {
		return result, err
	}
	if j.settings.Explain {
		return result, errors.New("--explain is for real jobs: leave it out, or leave out sim")
	}
	c, err := s.config(j)
	if err != nil {
		return result, err
	}
	trace := io.NopCloser(nil)
	if s.trace != "" {
		f, err := os.Create(s.trace)
		if err != nil {
			return result, failed(fmt.Errorf("write the trace: %w", err))
		}
		c.Trace, trace = f, f
	}
	w, err := sim.New(c)
	if err != nil {
		return result, err
	}
	err = s.ranks(j, w, config, &result)
	if closing := trace.Close(); err == nil && closing != nil {
		err = failed(fmt.Errorf("write the trace: %w", closing))
	}
	result.Network, result.Stats = c.Network.Name, w.Stats()
	return result, err
}

// switchHop is the latency in seconds that each further switch adds, unless a file gives another.
const switchHop = 100e-9

// config translates the flags for the network.
func (s *simulation) config(j *job) (sim.Config, error) {
	network, err := s.networkOf(j)
	if err != nil {
		return sim.Config{}, err
	}
	if j.settings.spread.onHosts() {
		return sim.Config{}, errors.New("--hosts is for real jobs: a network says how many processes are on a host")
	}
	c := sim.Config{
		Ranks: j.settings.ranks(), Processes: j.settings.spread.processes, Network: network, Seed: j.settings.Seed,
		Memory: j.settings.bytes("memory"),
	}
	if s.limit > 0 {
		c.TimeLimit = time.Duration(s.limit)
	}
	if c.Faults, err = s.faults.parse(); err != nil {
		return c, err
	}
	return c, simMistake(c.Check())
}

// ranks runs all ranks, and keeps rank 0's result.
func (s *simulation) ranks(j *job, w *sim.World, config pebble.Config, result *simulated) error {
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	bar := newBar(j.stderr, j.name, j.settings.log.quiet)
	err := w.Each(func(t netio.Transport) error {
		config := config
		config.Transport, config.Ranks = t, 0
		return pebble.Run(ctx, config, func(r *pebble.Rank) error {
			o, err := j.run(r, bar.progress(r))
			if r.ID() == 0 {
				result.outcome = o
			}
			return err
		})
	})
	bar.clear()
	if err != nil {
		return &failure{status: pebble.Tell(j.stderr, err)}
	}
	return nil
}

// simMistake strips the package's name from an error in the flags: the command's name precedes it.
func simMistake(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "sim: "))
}

// simulatedFaults are the flags that say what goes wrong.
type simulatedFaults struct {
	chances []string
	deaths  []string
	freezes []string
	parts   []string
}

func (s *simulatedFaults) register(f *pflag.FlagSet) {
	f.StringSliceVar(&s.chances, "fault", nil, "how likely it is that a frame meets delay, loss, double or corrupt, such as delay=0.1; repeatable")
	f.StringSliceVar(&s.deaths, "die", nil, "let a process die, such as 3@20us; repeatable")
	f.StringSliceVar(&s.freezes, "freeze", nil, "stop a process for a while, such as 3@20us+5ms; repeatable")
	f.StringSliceVar(&s.parts, "part", nil, "part the processes below one from the others for a while, such as 2@20us+5ms; repeatable")
}

func (s *simulatedFaults) parse() (f sim.Faults, err error) {
	for _, text := range s.chances {
		if err := chance(&f, text); err != nil {
			return f, err
		}
	}
	for _, text := range s.deaths {
		m, err := parseMoment(text)
		if err != nil || m.lasts != 0 {
			return f, fmt.Errorf("--die %s: write PROCESS@TIME, such as 3@20us", text)
		}
		f.Deaths = append(f.Deaths, sim.Death{Process: m.process, At: m.at})
	}
	for _, text := range s.freezes {
		m, err := parseMoment(text)
		if err != nil {
			return f, fmt.Errorf("--freeze %s: write PROCESS@TIME+TIME, such as 3@20us+5ms", text)
		}
		f.Freezes = append(f.Freezes, sim.Freeze{Process: m.process, At: m.at, For: m.lasts})
	}
	for _, text := range s.parts {
		m, err := parseMoment(text)
		if err != nil {
			return f, fmt.Errorf("--part %s: write PROCESS@TIME+TIME, such as 2@20us+5ms", text)
		}
		f.Partitions = append(f.Partitions, sim.Partition{Below: m.process, At: m.at, For: m.lasts})
	}
	return f, nil
}

func chance(f *sim.Faults, text string) error {
	name, value, _ := strings.Cut(text, "=")
	n, err := strconv.ParseFloat(value, 64)
	at := map[string]*float64{"delay": &f.Delay, "loss": &f.Loss, "double": &f.Double, "corrupt": &f.Corrupt}[name]
	if at == nil || err != nil {
		return fmt.Errorf("--fault %s: write delay, loss, double or corrupt, and how likely it is, such as loss=0.001", text)
	}
	*at = n
	return nil
}

// moment is when something happens to a process, and for how long.
type moment struct {
	process   int
	at, lasts time.Duration
}

func parseMoment(text string) (m moment, err error) {
	process, rest, _ := strings.Cut(text, "@")
	at, lasts, long := strings.Cut(rest, "+")
	if m.process, err = strconv.Atoi(process); err != nil {
		return m, err
	}
	if m.at, err = time.ParseDuration(at); err != nil || !long {
		return m, err
	}
	m.lasts, err = time.ParseDuration(lasts)
	return m, err
}

// byFit is the network that pebbles fit has measured.
const byFit = "fitted"

// networkOf returns the network that the job is simulated on.
func (s *simulation) networkOf(j *job) (sim.Network, error) {
	n, err := s.named(j)
	if err != nil {
		return n, err
	}
	if s.cores > 0 {
		n.Cores.Count = s.cores
	}
	if s.fabric != "" {
		n.Fabric = sim.Fabric{Kind: s.fabric, Hop: switchHop}
	}
	return n, nil
}

// named is the network of the flag: measured by pebbles fit, read from one of its files, or one of package sim, by name
// or file.
func (s *simulation) named(j *job) (sim.Network, error) {
	name := s.network
	if name == byFit {
		place, err := fit.Place()
		if err != nil {
			return sim.Network{}, err
		}
		name = place
	} else if slices.Contains(sim.Names(), name) || !isFitted(name) {
		n, err := sim.Load(name)
		return n, simMistake(err)
	}
	f, err := fit.Read(name)
	if err != nil {
		return sim.Network{}, err
	}
	p := f.Parameters
	if j.settings.transport == connect.ByTCP {
		p = p.Over(model.Network)
	}
	n := networkBy(p)
	n.Name = s.network
	a, ok := f.Applications[j.costs()]
	if !ok {
		a, ok = f.Applications[j.work]
	}
	if ok {
		n.Costs.Send, n.Costs.Handle = a.Send, a.Handle
	} else if !j.settings.log.quiet {
		fmt.Fprintf(s.stderr, "sim: pebbles cost what they cost any program: for those of this one, run pebbles fit --app '%s' first\n", j.work)
	}
	return n, nil
}

// isFitted reports whether a file is one of pebbles fit.
func isFitted(name string) bool {
	_, err := fit.Read(name)
	return err == nil
}

// networkBy makes a network from parameters: all ranks share the cores of one host. Each end pays half of a frame's own
// cost. In package model, a sender's messages are o+g apart, and L includes the cost of a batch at both ends.
func networkBy(p model.Parameters) sim.Network {
	n := sim.Network{
		RanksPerProcess: math.MaxInt32, ProcessesPerHost: math.MaxInt32,
		Costs: sim.Costs{Send: p.Pebble.Send, Handle: p.Pebble.Handle, Pass: p.Pebble.Forward},
		Cores: sim.Cores{Count: p.Cores.Count, Switch: p.Cores.Switch, ProcessSwitch: p.Cores.ProcessSwitch, Slice: p.Cores.Slice},
	}
	for _, c := range []struct {
		of   model.Link
		link *sim.Link
		end  *sim.End
	}{{p.Process, &n.Process, &n.Ends.Process}, {p.Host, &n.Host, &n.Ends.Host}, {p.Network, &n.Between, &n.Ends.Between}} {
		l := c.of
		*c.link = sim.Link{Latency: max(0, l.Latency-2*l.Batch), Overhead: l.Overhead + p.Frame/2, Gap: l.Interval(), PerByte: l.PerByte}
		*c.end = sim.End{PerByte: l.EndPerByte, Batch: l.Batch}
	}
	return n
}

// simulated is the result of a simulated run.
type simulated struct {
	outcome outcome
	Network string `json:"network"`
	sim.Stats
}

// report prints the result of one run and returns an error if it is wrong.
func (s *simulation) report(j *job, r simulated) error {
	var err error
	if j.settings.JSON {
		err = r.encode(j)
	} else {
		err = r.table(j)
	}
	if err := written(err); err != nil {
		return err
	}
	return r.judge()
}

// judge returns an error if the result is wrong.
func (r simulated) judge() error {
	if n := r.outcome.report.Errors; n > 0 {
		return &failure{launch.ExitError, fmt.Errorf("the result is wrong: the verifier found %s", counted(n, "error", "errors"))}
	}
	return nil
}

// encode prints the application's JSON object with the simulation's added.
func (r simulated) encode(j *job) error {
	whole, err := json.Marshal(r.outcome.whole)
	if err != nil {
		return err
	}
	more, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.stdout, "%s,\"simulation\":%s}\n", whole[:len(whole)-1], more)
	return err
}

// table prints the application's table with more rows.
func (r simulated) table(j *job) error {
	t := tabwriter.NewWriter(j.stdout, 0, 0, 2, ' ', 0)
	for _, row := range append(r.outcome.table(j.settings), r.rows()...) {
		fmt.Fprintf(t, "%s\t%s\n", row[0], row[1])
	}
	return t.Flush()
}

func (r simulated) rows() [][2]string {
	rows := [][2]string{
		{"predicted", fmt.Sprintf("%s of virtual time for the kernel, on the network %q", secondsText(r.outcome.report.Seconds), r.Network)},
		{"buffers", fmt.Sprintf("%d at most on a rank", r.outcome.report.Memory.Buffers)},
		{"hops", fmt.Sprintf("%.3f a pebble in the mean", r.hops())},
		{"termination", fmt.Sprintf("%s of detection in all, %.1f a rank", counted(r.outcome.report.Counters.DetectionSent, "message", "messages"),
			r.each(r.outcome.report.Counters.DetectionSent))},
		{"network", fmt.Sprintf("%s in all: %s within processes, %s within hosts, %s between hosts", counted(r.Frames, "frame", "frames"),
			grouped(r.WithinProcess), grouped(r.WithinHost), grouped(r.BetweenHosts))},
	}
	faults := those([]amount{{r.Delayed, "delayed"}, {r.Lost, "lost"}, {r.Duplicated, "doubled"}, {r.Corrupted, "damaged"}})
	if faults != "" {
		rows = append(rows, [2]string{"faults", faults})
	}
	return rows
}

// hops is the mean number of hops of a pebble. A pebble that stays on its rank counts as one hop.
func (r simulated) hops() float64 {
	c := r.outcome.report.Counters
	if c.PebblesHandled == 0 {
		return 0
	}
	return 1 + float64(c.Forwarded)/float64(c.PebblesHandled)
}

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
