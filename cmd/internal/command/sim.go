package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// Simulation holds the flags of the command beyond those of the application.
type Simulation struct {
	Terminal
	network string
	fabric  string
	faults  simulatedFaults
	cores   int  // of each host; 0: from the network
	limit   wait // of virtual time
	begin   func(*Simulation, *Job) error
}

func newSim(t Terminal) *cobra.Command {
	return NewSim(t, func(s *Simulation, j *Job) error {
		if t.Begin != nil {
			return t.Begin(j)
		}
		return s.Once(j)
	})
}

// NewSim returns the command that simulates applications. begin gets each job with checked flags.
func NewSim(t Terminal, begin func(*Simulation, *Job) error) *cobra.Command {
	s := &Simulation{Terminal: t, network: "flat", limit: -1, begin: begin}
	c := &cobra.Command{
		Use:   "sim",
		Short: "Run an application in simulated time on a simulated network",
		Long: "sim runs an application's own command with the real runtime on a simulated network, in this process:\n" +
			"with as many ranks as memory allows. Times come from a model of the network (LogGP), not from this\n" +
			"machine. The same command line gives the same run. --procs is the number of processes to simulate,\n" +
			"by default that of the network model.",
		Example: "  pebbles sim randomaccess --ranks 256 --log2-words 8 --topology hypercube --network odin\n" +
			"  pebbles sim epochs --count 10 --ranks 1024 --json",
		Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	s.register(c)
	inner := t
	inner.Begin = func(j *Job) error { return s.begin(s, j) }
	addCalled(c, inner, applications(), 1)
	for _, app := range c.Commands() {
		simulatedApp(app)
	}
	return c
}

// register adds the flags that all simulated applications share.
func (s *Simulation) register(c *cobra.Command) {
	f := c.PersistentFlags()
	f.SortFlags = false
	f.StringVar(&s.network, "network", s.network, "`name` of the network model: "+strings.Join(sim.Names(),
		", ")+", "+byFit+" by pebbles-lab fit, or a file")
	f.Var(Count(&s.cores, 1, "as the network says"), "cores", "cores per host, shared by its ranks")
	f.StringVar(&s.fabric, "fabric", "",
		"`name` of the fabric between hosts: fat-tree, torus or dragonfly (default as the network says)")
	s.faults.register(f)
	f.Var(&s.limit, "limit", "limit of virtual time, or never")
	Completes(c, "network", cobra.ShellCompDirectiveDefault, append(sim.Names(), byFit)...) // or a file
	Completes(c, "fabric", cobra.ShellCompDirectiveNoFileComp, "fat-tree", "torus", "dragonfly")
	Completes(c, "limit", cobra.ShellCompDirectiveNoFileComp, "never")
}

// simulatedApp makes an application's command, and its subcommands, commands of sim.
func simulatedApp(c *cobra.Command) {
	for _, sub := range c.Commands() {
		simulatedApp(sub)
	}
	c.Short += ", simulated"
	first, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	line := "  pebbles sim " + strings.TrimPrefix(first, "pebbles ")
	c.Example = line + "\n" + line + " --ranks 64 --network odin"
}

// Once runs the job and prints its result.
func (s *Simulation) Once(j *Job) error {
	result, err := s.Run(j)
	if err != nil {
		return err
	}
	return s.report(j, result)
}

// Run simulates the job.
func (s *Simulation) Run(j *Job) (result Simulated, err error) {
	log := j.settings.log.logger(j.Stderr)
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
	w, err := sim.New(c)
	if err != nil {
		return result, err
	}
	err = s.ranks(j, w, config, &result)
	result.Network, result.Stats = c.Network.Name, w.Stats()
	return result, err
}

// switchHop is the default latency that each further switch adds, in seconds.
const switchHop = 100e-9

// config translates the flags for the network.
func (s *Simulation) config(j *Job) (sim.Config, error) {
	network, err := s.networkOf(j)
	if err != nil {
		return sim.Config{}, err
	}
	if j.settings.spread.OnHosts() {
		return sim.Config{}, errors.New("--hosts is for real jobs: a network says how many processes are on a host")
	}
	c := sim.Config{
		Ranks: j.settings.ranks(), Processes: j.settings.spread.Processes, Network: network, Seed: j.settings.Seed,
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

// ranks runs all ranks and keeps rank 0's result.
func (s *Simulation) ranks(j *Job, w *sim.World, config pebble.Config, result *Simulated) error {
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	bar := newBar(j.Stderr, j.Name, j.settings.log.quiet)
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
		return &Failure{Status: pebble.WriteError(j.Stderr, err)}
	}
	return nil
}

// simMistake removes the package's name from an error in the flags: the command's name precedes it.
func simMistake(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "sim: "))
}
