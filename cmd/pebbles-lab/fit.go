package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
)

// fitter is the command pebbles-lab fit.
type fitter struct {
	command.Terminal
	spread    command.Spread
	transport command.Word
	out       string
	effort    fit.Effort
	pebbles   int
	json      bool
	pair      bool
	jobs      []*command.Job // of apps
	apps      []string       // command lines of applications to calibrate
}

// fitted maps each measurable transport to the class of link that it represents.
var fitted = map[string]model.Class{"mem": model.Process, connect.ByShm: model.Host, connect.ByTCP: model.Network}

func newFit(t command.Terminal) *cobra.Command {
	m := &fitter{Terminal: t, effort: fit.Standard, pebbles: 1 << 19}
	c := &cobra.Command{
		Use:   "fit",
		Short: "Measure this machine for pebbles-lab model, simulation and tuning",
		Long: "fit measures the LogGP parameters of the transports (latency, overhead, gap, gap a byte), and the " +
			"cost of " +
			"pebbles and frames,\n" +
			"and keeps them in the user's folder of configuration. Memory represents links within a process, " +
			"shared memory for\n" +
			"those within a host, and TCP for those between hosts: over loopback, or with --hosts between two of " +
			"them. Other kept\n" +
			"parameters stay.",
		Example: "  pebbles-lab fit\n" +
			"  pebbles-lab fit --transport mem --out parameters.json\n" +
			"  pebbles-lab fit --app alltoall\n" +
			"  pebbles-lab fit --transport tcp --hosts a,b --bind eth0",
		Args: command.NoArguments,
		RunE: func(*cobra.Command, []string) error { return m.start() },
	}
	f := c.Flags()
	f.SortFlags = false
	command.Words(c, &m.transport, "transport", "all", []string{"mem", connect.ByShm, connect.ByTCP, "all"},
		"transports to measure")
	f.StringVar(&m.out, "out", "", "file to keep the parameters in (default pebbles/parameters.json in the user's "+
		"folder of configuration)")
	f.Var(command.Count(&m.effort.Repeats, 1, ""), "repeats", "repeats of everything, at the least")
	f.DurationVar(&m.effort.Time, "time", m.effort.Time, "least time to measure each transport: the speed of a "+
		"shared machine varies")
	f.Var(command.Count(&m.effort.Frames, 16, ""), "frames", "frames of each stream and of all ping-pongs")
	f.Var(command.Count(&m.pebbles, 1<<15, ""), "pebbles", "pebbles of each epoch that measures their cost")
	f.StringArrayVar(&m.apps, "app", nil, "measure the cost of pebbles of an application, such as 'randomaccess "+
		"--log2-words 20', and nothing else; repeatable")
	m.spread.Register(c)
	f.BoolVar(&m.json, "json", false, "print the file instead of a table")
	f.BoolVar(&m.pair, "pair", false, "be a process of a pair")
	f.Lookup("pair").Hidden = true
	return c
}

func (m *fitter) start() error {
	m.spread.Processes = 2
	if !m.spread.OnHosts() {
		m.spread.Processes = 0
	}
	switch err := m.spread.Check(); {
	case err != nil:
		return err
	case m.spread.OnHosts() && m.transport.Text != connect.ByTCP:
		return errors.New("--hosts is for links between hosts: add --transport tcp")
	case len(m.spread.Hosts) == 1:
		return errors.New("--hosts names one host: a link needs two")
	case m.pair && launch.Started(m.spread.Alone):
		return m.answer()
	case m.pair || launch.Started(m.spread.Alone):
		return errors.New("fit starts its processes itself: run it without a launcher")
	}
	for i := range m.spread.Hosts {
		m.spread.Hosts[i].Slots = 0 // one process per host
	}
	if err := m.parseApps(); err != nil {
		return err
	}
	if m.Begin != nil {
		return m.Begin(nil)
	}
	if err := m.measure(); err != nil {
		return command.Failed(plain{strings.TrimPrefix(err.Error(), "fit: "), err})
	}
	return nil
}

// measure measures the links that the flags name, saves the parameters and prints them.
func (m *fitter) measure() error {
	out := m.out
	if out == "" {
		var err error
		if out, err = machine.ParametersFile(); err != nil {
			return err
		}
	}
	if m.out != "" {
		if err := machine.Writable(m.out); err != nil {
			return err
		}
	}
	if len(m.apps) > 0 {
		return m.calibrate(out)
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	all, err := m.links(ctx)
	if err != nil {
		return err
	}
	costs, err := fit.Pebbles(ctx, 3*m.effort.Repeats, m.pebbles)
	if err != nil {
		return err
	}
	cores, err := coresHere(m.effort.Repeats)
	if err != nil {
		return err
	}
	file := fit.File(append(kept(out, all), all...), costs, cores, time.Now())
	if before, ok := savedHere(out); ok {
		file.Applications = before.Applications
	}
	if err := machine.WriteParameters(out, file); err != nil {
		return err
	}
	return m.print(file, out)
}

// links measures each transport that the flags name. Under "all" it skips unavailable ones, and prints their names.
func (m *fitter) links(ctx context.Context) (all []fit.Measurement, err error) {
	for _, name := range []string{"mem", connect.ByShm, connect.ByTCP} {
		if m.transport.Text != "all" && m.transport.Text != name {
			continue
		}
		one := fit.Measurement{Class: fitted[name]}
		if name == "mem" {
			one.Link, one.Measured, err = inMemory(ctx, m.effort)
		} else {
			one.Link, one.Measured, err = m.between(ctx, name)
		}
		if err != nil && m.transport.Text == "all" && name == connect.ByShm && context.Cause(ctx) == nil {
			fmt.Fprintf(m.Stderr, "fit: shared memory was left out: %v\n", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func inMemory(ctx context.Context, effort fit.Effort) (l model.Link, measured model.Measured, err error) {
	t := mem.New(2)
	l, measured, _, err = fit.Link(ctx, t, effort)
	return l, measured, errors.Join(err, t.Close())
}

// between starts this command as a job of two processes, and reads the output of the first one.
func (m *fitter) between(ctx context.Context, name string) (l model.Link, measured model.Measured, err error) {
	self, err := command.ThisProgram()
	if err != nil {
		return l, measured, err
	}
	program := []string{self, "fit", "--pair", "--transport", name, fmt.Sprint("--repeats=", m.effort.Repeats),
		fmt.Sprint("--frames=", m.effort.Frames),
		fmt.Sprint("--time=", m.effort.Time)}
	s := m.spread
	s.Processes, s.Ranks = 2, 2
	spec := s.Spec(program, nil)
	spec.Transport = name
	var stdout, stderr bytes.Buffer
	spec.Stdout, spec.Stderr = &stdout, &stderr
	if _, err := launch.Run(ctx, spec); err != nil {
		if why := strings.TrimSpace(stderr.String()); why != "" {
			return l, measured, fmt.Errorf("%w: %s", err, why)
		}
		return l, measured, err
	}
	var p pairResult
	if err := json.Unmarshal(stdout.Bytes(), &p); err != nil {
		return l, measured, fmt.Errorf("the pair of processes has printed %q: %w", stdout.String(), err)
	}
	return p.Link, p.Measured, nil
}

// pairResult is the output of the first process of a pair.
type pairResult struct {
	Link     model.Link     `json:"link"`
	Measured model.Measured `json:"measured"`
}

// answer runs one process of a pair.
func (m *fitter) answer() error {
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	member, err := launch.Join(ctx, launch.Options{Transport: m.transport.Text})
	if err != nil {
		return &command.Failure{Status: launch.StatusOf(err), Err: err}
	}
	ctx, unwatch := member.Within(ctx)
	defer unwatch()
	l, measured, first, err := fit.Link(ctx, member.Transport, m.effort)
	err = errors.Join(err, member.Transport.Close())
	member.Complain(err)
	err = errors.Join(err, member.Close())
	if err != nil {
		return &command.Failure{Status: launch.StatusOf(err), Err: err}
	}
	if !first {
		return nil
	}
	return command.Written(json.NewEncoder(m.Stdout).Encode(pairResult{l, measured}))
}

// kept returns the saved links of the classes that were not measured now.
func kept(out string, now []fit.Measurement) (all []fit.Measurement) {
	f, ok := savedHere(out)
	if !ok {
		return nil
	}
	for c := model.Process; c <= model.Network; c++ {
		m, ok := f.Measured[c.String()]
		for _, n := range now {
			ok = ok && n.Class != c
		}
		if ok {
			all = append(all, fit.Measurement{Class: c, Link: f.Parameters.Link(c), Measured: m})
		}
	}
	return all
}

func (m *fitter) print(f model.File, out string) error {
	if m.json {
		text, err := f.Encode()
		if err == nil {
			_, err = m.Stdout.Write(text)
		}
		return command.Written(err)
	}
	w := tabwriter.NewWriter(m.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "link\tby\tlatency\toverhead\tgap\tbandwidth\toff the line")
	for c := model.Process; c <= model.Network; c++ {
		l, s := f.Parameters.Link(c), f.Measured[c.String()]
		if s.Transport == "" {
			fmt.Fprintf(w, "%s\tnot measured\n", c)
			continue
		}
		bandwidth := "no limit seen"
		if l.PerByte > 0 {
			bandwidth = fmt.Sprintf("%.3g GB/s ± %.0f %%", 1e-9/l.PerByte, 100*s.Spread.PerByte/l.PerByte)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.1f %%\n", c, s.Transport, withSpread(l.Latency, s.Spread.Latency),
			withSpread(l.Overhead, s.Spread.Overhead), withSpread(l.Gap, s.Spread.Gap), bandwidth, 100*s.Residual)
	}
	p := f.Parameters.Pebble
	fmt.Fprintf(w, "pebble\tsend %s\thandle %s\tforward %s\tlook %s\tframe %s\n", timeText(p.Send), timeText(p.Handle),
		timeText(p.Forward),
		timeText(p.Look), timeText(f.Parameters.Frame))
	fmt.Fprintf(w, "kept in\t%s\n", out)
	return command.Written(w.Flush())
}

func withSpread(v, spread float64) string { return timeText(v) + " ± " + timeText(spread) }

// parseApps parses the applications' command lines with their own commands.
func (m *fitter) parseApps() error {
	for _, line := range m.apps {
		args := strings.Fields(line)
		if len(args) == 0 {
			return errors.New("--app is empty: give a command line such as 'randomaccess --log2-words 20'")
		}
		if !command.IsApplication(args[0]) {
			return fmt.Errorf("--app %s: there is no such application", args[0])
		}
		var taken *command.Job
		root := command.New(command.Pebbles(), command.Terminal{
			Args:   append([]string{args[0], fmt.Sprint("--ranks=", machine.ApplicationRanks), "--quiet"}, args[1:]...),
			Stdout: io.Discard, Stderr: io.Discard,
			Begin: func(j *command.Job) error { taken = j; return nil },
		})
		if _, err := root.ExecuteC(); err != nil {
			return fmt.Errorf("--app %s: %w", args[0], err)
		}
		if taken == nil || taken.Several() || taken.Explains() {
			return fmt.Errorf("--app %s: give the flags that make its work: --help, --explain, --procs and --hosts "+
				"have no place here", args[0])
		}
		m.jobs = append(m.jobs, taken)
	}
	return nil
}

// calibrate measures the applications with the saved parameters, and saves the costs of their pebbles with them.
func (m *fitter) calibrate(out string) error {
	file, err := machine.ReadParameters(out)
	if err != nil {
		return err
	}
	if file.Applications == nil {
		file.Applications = map[string]model.Application{}
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	for _, j := range m.jobs {
		a, err := calibrated(ctx, j, file.Parameters, m.effort.Repeats)
		if err != nil {
			return fmt.Errorf("%s: %w", j.Work, err)
		}
		file.Applications[j.Costs()] = a
	}
	if err := machine.WriteParameters(out, file); err != nil {
		return err
	}
	if m.json {
		return m.print(file, out)
	}
	return m.printApplications(file, out)
}

// calibrated measures one application.
func calibrated(ctx context.Context, j *command.Job, p model.Parameters, repeats int) (model.Application, error) {
	config, err := j.Config(slog.New(slog.DiscardHandler))
	if err != nil {
		return model.Application{}, err
	}
	return fit.Application(ctx, config, p, repeats, func(r *pebble.Rank) (fit.Run, error) {
		report, err := j.Measure(r)
		if err == nil && report.Errors > 0 {
			err = fmt.Errorf("the result is wrong: the verifier found %s", command.Counted(report.Errors, "error", "errors"))
		}
		return fit.Run{Seconds: report.Seconds, Counters: report.Counters}, err
	})
}

func (m *fitter) printApplications(f model.File, out string) error {
	w := tabwriter.NewWriter(m.Stdout, 0, 0, 2, ' ', 0)
	for _, j := range m.jobs {
		a := f.Applications[j.Costs()]
		fmt.Fprintf(w, "%s\tsend %s\thandle %s\t± %.0f %%\n", j.Costs(), timeText(a.Send), timeText(a.Handle),
			100*a.Spread)
	}
	fmt.Fprintf(w, "kept in\t%s\n", out)
	return command.Written(w.Flush())
}

// savedHere returns this machine's parameters in a file. It reports false if the file has none.
func savedHere(out string) (f model.File, ok bool) {
	f, err := machine.ReadParameters(out)
	return f, err == nil && f.Machine == machine.This().String()
}

// coresHere measures how ranks share this host's cores. If a switch to another process cannot be measured, its cost is
// that of a switch to another rank.
func coresHere(repeats int) (model.Cores, error) {
	c := model.Cores{Count: runtime.NumCPU(), Switch: fit.Switch(repeats), Slice: lab.TimeSlice(repeats)}
	process, err := lab.ContextSwitch(repeats)
	c.ProcessSwitch = max(process, c.Switch)
	return c, err
}
