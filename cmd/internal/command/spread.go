package command

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
)

// Spread holds the flags for the placement of a job's ranks.
type Spread struct {
	Ranks     int
	Processes int // 0 if the flag was not given
	Hosts     hostList
	hostfile  string
	bind      string
	ssh       string
	start     timeout
	silence   timeout
	restarts  int
	Alone     bool
}

// Register adds the flags that all commands that start processes share.
func (s *Spread) Register(c *cobra.Command) {
	f := c.Flags()
	f.Var(&s.Hosts, "hosts",
		"hosts to start processes on over ssh, such as alpha,beta, node[01-16], or alpha:4 for 4 slots")
	f.StringVar(&s.hostfile, "hostfile", "", "`file` of hosts, as for MPI: a host per line, and slots=N")
	f.StringVar(&s.bind, "bind", "",
		"`address` or interface to listen on, with :PORT for the launcher (default loopback)")
	f.StringVar(&s.ssh, "ssh", "ssh", "remote shell `command`")
	s.start = timeout{standard: "30s, or PEBBLES_START_LIMIT", least: time.Nanosecond}
	s.silence = timeout{standard: "10s, or PEBBLES_SILENCE_LIMIT", least: time.Second}
	f.Var(&s.start, "start-limit", "time limit for the processes to join and connect")
	f.Var(&s.silence, "silence-limit",
		"time without a sign of life after which a process counts as lost")
	f.Var(Count(&s.restarts, 1, "0"), "restart",
		"start the job again when a process has died, at most N times without a new checkpoint")
	_, runtime := runtimeFlags()
	f.BoolVar(&s.Alone, "alone", false, runtime.Lookup("alone").Usage)
	Completes(c, "restart", cobra.ShellCompDirectiveNoFileComp)
	Completes(c, "hosts", cobra.ShellCompDirectiveNoFileComp)
	Completes(c, "bind", cobra.ShellCompDirectiveNoFileComp)
}

// hostList is the flag that names hosts. It may be repeated.
type hostList []launch.Host

func (h *hostList) Type() string { return "list" }

func (h *hostList) String() string { return "" }

func (h *hostList) Set(text string) error {
	hosts, err := launch.ParseHosts(text)
	*h = append(*h, hosts...)
	return err
}

// OnHosts reports whether flags name the hosts of the processes.
func (s *Spread) OnHosts() bool { return len(s.Hosts) > 0 || s.hostfile != "" }

// count returns the number of processes. It is valid after Check.
func (s *Spread) count() int {
	if s.Processes == 0 {
		return max(1, launch.Slots(s.Hosts))
	}
	return s.Processes
}

// Several reports whether the command must start the job's processes.
func (s *Spread) Several() bool { return s.count() > 1 || s.OnHosts() }

// counted reports whether flags state that there are several processes: only the launcher reads a hostfile.
func (s *Spread) counted() bool { return s.count() > 1 || len(s.Hosts) > 0 }

// readHosts reads the hostfile. The file need not exist on the other hosts, since a started process does not use it.
func (s *Spread) readHosts() (err error) {
	started := launch.Started(s.Alone) || launch.Joined()
	switch {
	case started && s.bind == "":
		s.hostfile = ""
	case started || s.hostfile == "":
	case len(s.Hosts) > 0:
		return errors.New("--hosts and --hostfile don't go together: choose one")
	default:
		if s.Hosts, err = launch.ReadHostfile(s.hostfile); err != nil {
			return err
		}
	}
	return nil
}

// Check reads the hostfile, and returns an error for impossible flags.
func (s *Spread) Check() error {
	if err := s.readHosts(); err != nil {
		return err
	}
	places, err := launch.PlaceOn(s.Hosts, s.count())
	if err == nil && s.bind == "" && launch.OnlyHere(s.Hosts) { // neither ssh nor an address is needed
		s.Processes, s.Hosts, s.hostfile, places = s.count(), nil, "", nil
	}
	switch {
	case err != nil:
		return err
	case s.Ranks > 0 && s.Ranks < s.count():
		return fmt.Errorf("--ranks %d is not enough for %d processes: each has at least one rank", s.Ranks, s.count())
	case len(places) > s.count():
		return fmt.Errorf("%s names %d hosts for %d processes: "+
			"name at most one host a process, or give the hosts slots to be filled in order",
			s.hostsFlag(), len(places), s.count())
	case s.OnHosts() && s.bind == "":
		return fmt.Errorf("%s needs --bind: the address or interface by which the hosts reach each other", s.hostsFlag())
	case len(strings.Fields(s.ssh)) == 0:
		return fmt.Errorf("--ssh is empty: name a command such as ssh")
	}
	return nil
}

func (s *Spread) hostsFlag() string {
	if s.hostfile != "" {
		return "--hostfile"
	}
	return "--hosts"
}

// Spec describes the job for its launcher, after Check.
func (s *Spread) Spec(program []string, log *slog.Logger) launch.Spec {
	places, _ := launch.PlaceOn(s.Hosts, s.count())
	return launch.Spec{
		Processes: s.count(), Ranks: s.Ranks, Hosts: places, Bind: s.bind, SSH: strings.Fields(s.ssh),
		Program: program, Log: log, StartLimit: s.start.time, SilenceLimit: s.silence.time, Alone: s.Alone,
		Restarts: s.restarts, Spare: s.spare(places),
	}
}

// spare returns the hosts whose slots the job does not need.
func (s *Spread) spare(places []string) (names []string) {
	for _, h := range s.Hosts {
		if !slices.Contains(places, h.Name) && !slices.Contains(names, h.Name) {
			names = append(names, h.Name)
		}
	}
	return names
}
