package main

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/launch"
)

// spread are the flags that say where the ranks of a job run.
type spread struct {
	ranks     int
	processes int // 0: the flag was not given
	hosts     []string
	bind      string
	ssh       string
	start     timeout
	silence   timeout
	alone     bool
}

// register adds the flags that all commands that start processes share.
func (s *spread) register(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&s.hosts, "hosts", nil, "hosts to start the processes on over ssh, separated by commas")
	f.StringVar(&s.bind, "bind", "", "address or interface that the processes listen on, with :PORT for the launcher (default loopback)")
	f.StringVar(&s.ssh, "ssh", "ssh", "command that reaches a host")
	s.start = timeout{standard: "30s, or PEBBLES_START_LIMIT", least: time.Nanosecond}
	s.silence = timeout{standard: "10s, or PEBBLES_SILENCE_LIMIT", least: time.Second}
	f.Var(&s.start, "start-limit", "how long the processes may take to join and to connect")
	f.Var(&s.silence, "silence-limit", "how long a process may say nothing, as when a debugger stops it, before it counts as lost")
	f.BoolVar(&s.alone, "alone", false, "run though another launcher, such as mpirun, has started several of this command")
	completes(c, "hosts", cobra.ShellCompDirectiveNoFileComp)
	completes(c, "bind", cobra.ShellCompDirectiveNoFileComp)
}

// count is the number of processes.
func (s *spread) count() int {
	if s.processes == 0 {
		return max(1, len(s.hosts))
	}
	return s.processes
}

// several reports whether the command must start the job's processes.
func (s *spread) several() bool { return s.count() > 1 || len(s.hosts) > 0 }

func (s *spread) check() error {
	switch {
	case s.ranks > 0 && s.ranks < s.count():
		return fmt.Errorf("--ranks %d is not enough for %d processes: each has at least one rank", s.ranks, s.count())
	case len(s.hosts) > s.count():
		return fmt.Errorf("--hosts names %d hosts for %d processes: name at most one host a process", len(s.hosts), s.count())
	case len(s.hosts) > 0 && s.bind == "":
		return fmt.Errorf("--hosts needs --bind: the address or interface by which the hosts reach each other")
	case len(strings.Fields(s.ssh)) == 0:
		return fmt.Errorf("--ssh is empty: name a command such as ssh")
	}
	return nil
}

// spec describes the job to its launcher.
func (s *spread) spec(program []string, log *slog.Logger) launch.Spec {
	return launch.Spec{
		Processes: s.count(), Ranks: s.ranks, Hosts: s.hosts, Bind: s.bind, SSH: strings.Fields(s.ssh),
		Program: program, Log: log, StartLimit: s.start.time, SilenceLimit: s.silence.time, Alone: s.alone,
	}
}
