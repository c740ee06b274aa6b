package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/lab/start"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/pebble"
)

// starter is the command pebbles-lab start.
type starter struct {
	command.Terminal
	parameters string
	processes  []int // to simulate
	real       []int // of real jobs
	perHost    int
	cores      int
	json       bool
	since      int64 // start of this process's job, in nanoseconds; 0 for the command itself
}

func newStart(t command.Terminal) *cobra.Command {
	s := &starter{Terminal: t}
	c := &cobra.Command{
		Use:   "start",
		Short: "Predict how long jobs of thousands of processes take to start, and their memory",
		Long: "start runs small jobs over TCP on this machine, which show the cost of a process and of a\n" +
			"connection, and simulates the start of larger ones: processes begin, exchange addresses over a\n" +
			"tree, connect with their neighbours and meet in a first barrier. Links cost what pebbles-lab fit\n" +
			"has measured; the processes of a host share its cores.",
		Example: "  pebbles-lab start\n" +
			"  pebbles-lab start --processes 1024,10000 --per-host 64 --cores 64\n" +
			"  pebbles-lab start --real 8,64 --processes 8,64 --per-host 64 --json",
		Args: command.NoArguments,
		RunE: func(*cobra.Command, []string) error { return s.start() },
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&s.parameters, "parameters", "", command.ParametersUsage())
	f.IntSliceVar(&s.processes, "processes", []int{64, 512, 1024, 10_000}, "processes of the simulated jobs")
	f.IntSliceVar(&s.real, "real", []int{8, 32}, "processes of the jobs that run on this machine, two at the least")
	f.Var(command.Count(&s.perHost, 1, "all"), "per-host", "processes of a host in simulated jobs")
	f.Var(command.Count(&s.cores, 1, "as the parameters say"), "cores", "cores of a host in simulated jobs")
	f.BoolVar(&s.json, "json", false, "print one JSON object instead of a table")
	f.Int64Var(&s.since, "since", 0, "be a process of a job that was started then")
	f.Lookup("since").Hidden = true
	command.Completes(c, "parameters", cobra.ShellCompDirectiveDefault, model.Names()...)
	return c
}

// started is a start on this machine: the means over its processes, and the longest time.
type started struct {
	Processes   int     `json:"processes"`
	Seconds     float64 `json:"seconds"`
	Processor   float64 `json:"processor"` // seconds of each process
	Connections float64 `json:"connections"`
	Memory      float64 `json:"memory"` // private bytes of each process
}

func (a started) plus(b started) started {
	return started{max(a.Processes, b.Processes), max(a.Seconds, b.Seconds), a.Processor + b.Processor,
		a.Connections + b.Connections, a.Memory + b.Memory}
}

func (s *starter) start() error {
	switch {
	case s.since != 0 && launch.Started(false):
		return s.take()
	case s.since != 0 || launch.Started(false):
		return errors.New("start starts its processes itself: run it by itself")
	}
	slices.Sort(s.real)
	if s.real = slices.Compact(s.real); len(s.real) < 2 || s.real[0] < 2 {
		return errors.New("--real needs two numbers of 2 or more processes, such as 8,32")
	}
	if len(s.processes) == 0 || slices.Min(s.processes) < 1 {
		return errors.New("--processes needs numbers of 1 or more processes, such as 1024,10000")
	}
	if s.Begin != nil {
		return s.Begin(nil)
	}
	p, from, err := command.ParametersOf(s.parameters)
	if err != nil {
		return &command.Failure{Status: launch.ExitError, Err: err}
	}
	if s.cores > 0 {
		p.Cores.Count = s.cores
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	var real []started
	for _, n := range s.real {
		one, err := s.run(ctx, n)
		if err != nil {
			return command.Failed(err)
		}
		real = append(real, one)
	}
	return command.Failed(s.predict(p, from, real))
}

// predict simulates the jobs, and prints all.
func (s *starter) predict(p model.Parameters, from string, real []started) error {
	j := start.Job{PerHost: s.perHost, Network: command.NetworkBy(p.Over(model.Network)), Costs: costsOf(real)}
	var simulated []start.Result
	for _, j.Processes = range s.processes {
		r, err := start.Simulate(j)
		if err != nil {
			return err
		}
		simulated = append(simulated, r)
	}
	if s.json {
		return json.NewEncoder(s.Stdout).Encode(struct {
			App        string         `json:"app"`
			Parameters string         `json:"parameters"`
			Costs      start.Costs    `json:"costs"`
			Real       []started      `json:"real"`
			Simulated  []start.Result `json:"simulated"`
		}{"start", from, j.Costs, real, simulated})
	}
	return s.print(j.Costs, real, simulated)
}

// costsOf fits a line through the smallest and the largest job. A process greets the launcher and its neighbours.
func costsOf(real []started) start.Costs {
	small, large := real[0], real[len(real)-1]
	greeting := max(0, (large.Processor-small.Processor)/max(1, large.Connections-small.Connections))
	each := max(0, (large.Memory-small.Memory)/float64(large.Processes-small.Processes))
	return start.Costs{
		Process:  seconds(max(0, small.Processor-greeting*(1+small.Connections))),
		Greeting: seconds(greeting),
		Memory:   max(0, small.Memory-each*float64(small.Processes)),
		Each:     each,
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// run starts a job on this machine.
func (s *starter) run(ctx context.Context, processes int) (r started, err error) {
	self, err := command.ThisProgram()
	if err != nil {
		return r, err
	}
	var stdout, stderr bytes.Buffer
	_, err = launch.Run(ctx, launch.Spec{
		Processes: processes, Ranks: processes, Transport: connect.ByTCP, Connect: "need",
		Program: []string{self, "start", fmt.Sprint("--since=", time.Now().UnixNano())},
		Stdout:  &stdout, Stderr: &stderr,
	})
	if err != nil {
		return r, fmt.Errorf("start %d processes: %w: %s", processes, err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return r, fmt.Errorf("start %d processes: they have printed %q: %w", processes, stdout.String(), err)
	}
	return r, nil
}

// take runs a process of a job on this machine. Rank 0 prints the means.
func (s *starter) take() error {
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	member, err := launch.Join(ctx, launch.Options{})
	if err != nil {
		return &command.Failure{Status: launch.StatusOf(err), Err: err}
	}
	ctx, unwatch := member.Within(ctx)
	defer unwatch()
	err = pebble.Run(ctx, pebble.Config{Transport: member.Transport}, func(r *pebble.Rank) error {
		return s.measure(r, member.Transport)
	})
	member.Complain(err)
	if err = errors.Join(err, member.Close()); err != nil {
		return &command.Failure{Status: launch.StatusOf(err), Err: err}
	}
	return nil
}

// measure is the part of a rank; each process has one rank.
func (s *starter) measure(r *pebble.Rank, t netio.Transport) error {
	if err := r.Barrier(); err != nil {
		return err
	}
	n := float64(r.Size())
	own := started{
		Processes: r.Size(), Seconds: time.Since(time.Unix(0, s.since)).Seconds(),
		Processor: fit.Processor(r.Now).Seconds() / n, Memory: float64(cpu.Private()) / n,
	}
	if c, ok := t.(netio.Connected); ok {
		own.Connections = float64(c.Connections()) / n
	}
	all, err := pebble.AllReduce(r, own, started.plus)
	if err != nil || r.ID() > 0 {
		return err
	}
	return json.NewEncoder(s.Stdout).Encode(all)
}

func (s *starter) print(c start.Costs, real []started, simulated []start.Result) error {
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "processes\thosts\tbegan\taddresses\tconnected\tstarted\tconnections\tmemory of each\t")
	for _, r := range real {
		fmt.Fprintf(w, "%d\there\t\t\t\t%s\t%.1f\t%s\t\n", r.Processes, timeText(r.Seconds), r.Connections,
			command.BytesText(int64(r.Memory)))
	}
	for _, r := range simulated {
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\t%d\t%s\t\n", r.Processes, r.Hosts, timeText(r.Began),
			timeText(r.Addresses), timeText(r.Connected), timeText(r.Started), r.Connections,
			command.BytesText(int64(r.Memory)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.Stdout, "processor time: %v a process, %v a greeting\n",
		c.Process.Round(time.Microsecond), c.Greeting.Round(time.Microsecond))
	return err
}
