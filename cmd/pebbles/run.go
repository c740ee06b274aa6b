package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio/connect"
)

func newRun(t terminal) *cobra.Command {
	var s spread
	var l logFlags
	var transport word
	var forms forwarding
	var through fabric
	c := &cobra.Command{
		Use:   "run -n N [flags] -- PROGRAM [ARGUMENTS]",
		Short: "Start a program built on the library as a job of several processes",
		Long: "run starts a program that uses the library as one job of N processes, on this machine or over ssh. Its standard\n" +
			"output is that of the first process, which has rank 0, as it is. What else they print goes to standard error, and\n" +
			"each line comes after the ranks of its process when there are several. Signals are forwarded, and so is the exit\n" +
			"status. When one process fails, all end, and the message names the one that failed first.",
		Example: "  pebbles run -n 4 -- ./wordcount book.txt\n" +
			"  pebbles run -n 2 --ranks 8 -- ./program\n" +
			"  pebbles run -n 3 -- ./program --json | jq .\n" +
			"  pebbles run -n 8 --hosts alpha,beta --bind eth0 -- /opt/program\n" +
			"  pebbles run --hosts node[01-16]:4 --bind eth0 -- /opt/program",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("there is no program to start: name one after --")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if s.processes == 0 && !s.onHosts() {
				return errors.New("say how many processes to start with -n N, or where with --hosts or --hostfile")
			}
			if err := errors.Join(l.check(), forms.check(), through.check(transport.text)); err != nil {
				return err
			}
			if err := s.check(); err != nil {
				return err
			}
			if t.begin != nil {
				return t.begin(nil)
			}
			spec := s.spec(args, l.logger(t.stderr))
			spec.Transport = through.with(transport.text)
			forms.apply(&spec)
			return runProgram(t, spec)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.SetInterspersed(false) // what follows the program is the program's
	f.VarP(count{&s.processes, 1, "one a host or slot"}, "procs", "n", "processes to start")
	f.Var(count{&s.ranks, 1, "one a process"}, "ranks", "ranks of the whole job")
	words(c, &transport, "transport", connect.ByAuto, []string{connect.ByShm, connect.ByOFI, connect.ByTCP, connect.ByAuto},
		"what carries frames between processes, where the program doesn't say")
	through.register(c)
	f.BoolVar(&forms.prefix, "prefix", false, "put the ranks of its process before each line of standard output too, which is then that of all processes")
	f.BoolVar(&forms.bare, "no-prefix", false, "forward all lines as they are: standard output of all processes to standard output, errors to errors")
	s.register(c)
	l.register(c)
	return c
}

// forwarding are the flags that say how output is forwarded.
type forwarding struct{ prefix, bare bool }

func (f forwarding) check() error {
	if f.prefix && f.bare {
		return errors.New("--prefix and --no-prefix don't go together: choose one")
	}
	return nil
}

func (f forwarding) apply(s *launch.Spec) {
	s.First = !f.prefix && !f.bare
	s.Prefix = f.prefix || s.First && s.Processes > 1
}

// runProgram starts a program as a job, and returns when it has ended.
func runProgram(t terminal, s launch.Spec) error {
	s.Stdin, s.Stdout, s.Stderr = os.Stdin, unchecked(t.stdout), t.stderr
	result, err := launch.Run(context.Background(), s)
	if err != nil {
		return &failure{result.Status, err}
	}
	if !slices.ContainsFunc(result.Outcomes, func(o launch.Outcome) bool { return o.Joined }) {
		return &failure{launch.ExitError, fmt.Errorf("no process has joined the job: each of the %d has run %s by itself: does the program call "+
			"pebble.Main, pebble.RunLaunched or launch.Join?", len(result.Outcomes), s.Program[0])}
	}
	return nil
}
