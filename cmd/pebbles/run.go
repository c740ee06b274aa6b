package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/launch"
)

func newRun(t terminal) *cobra.Command {
	var s spread
	var d diary
	var transport word
	c := &cobra.Command{
		Use:   "run -n N [flags] -- PROGRAM [ARGUMENTS]",
		Short: "Start a program built on the library as a job of several processes",
		Long: "run starts a program that uses the library as one job of N processes, on this machine or over ssh. What they\n" +
			"print is forwarded, each line after the ranks of its process; so are signals and the exit status. When one\n" +
			"process fails, all end, and the message names the one that failed first.",
		Example: "  pebbles run -n 4 -- ./wordcount book.txt\n" +
			"  pebbles run -n 2 --ranks 8 -- ./program\n" +
			"  pebbles run -n 8 --hosts alpha,beta --bind eth0 -- /opt/program",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("there is no program to start: name one after --")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if s.processes == 0 && len(s.hosts) == 0 {
				return errors.New("say how many processes to start with -n N, or where with --hosts")
			}
			if err := d.check(); err != nil {
				return err
			}
			if err := s.check(); err != nil {
				return err
			}
			if t.begin != nil {
				return t.begin(nil)
			}
			return runProgram(t, &s, &d, transport.text, args)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.SetInterspersed(false) // what follows the program is the program's
	f.VarP(count{&s.processes, 1, "one a host"}, "procs", "n", "processes to start")
	f.Var(count{&s.ranks, 1, "one a process"}, "ranks", "ranks of the whole job")
	words(c, &transport, "transport", netio.ByAuto, []string{netio.ByShm, netio.ByTCP, netio.ByAuto},
		"what carries frames between processes, where the program doesn't say")
	s.register(c)
	d.register(c)
	return c
}

// runProgram starts a program as a job, and returns when it has ended.
func runProgram(t terminal, s *spread, d *diary, transport string, program []string) error {
	spec := s.spec(program, d.logger(t.stderr))
	spec.Transport = transport
	spec.Stdout, spec.Stderr, spec.Prefix = t.stdout, t.stderr, true
	if len(s.hosts) == 0 && !term.IsTerminal(int(os.Stdin.Fd())) {
		spec.Stdin = os.Stdin
	}
	result, err := launch.Run(context.Background(), spec)
	if err != nil {
		return &failure{result.Status, err}
	}
	return nil
}
