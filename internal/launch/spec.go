package launch

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Spec describes the job that [Run] starts.
type Spec struct {
	Processes int // refused if this machine lacks the memory or open files
	// Ranks is the number of ranks of the whole job, spread by netio.Spread. 0 is one per core of this machine, as for
	// a program that runs alone, and at least one per process. With Hosts, whose cores are unknown, it is one per
	// process.
	Ranks int

	// Hosts is empty for a job on this machine. Otherwise process i runs over ssh on Hosts[i*len(Hosts)/Processes], so
	// the processes of a host are consecutive. [ParseHosts] and [ReadHostfile] read lists of hosts; [PlaceOn] respects
	// their slots.
	Hosts []string
	// Program is the program and its arguments. Program[0] is looked up here, in PATH if it has no slash. On other
	// hosts the same path must exist, and also the path of this process's executable, which starts the processes there:
	// it must call [BeAgent] first.
	Program []string
	Dir     string   // working directory, here and on other hosts; "" is this process's
	Env     []string // additions to the environment, here and on other hosts: NAME=value

	// Bind is the address, or the name of the interface, that the job listens on; "" is loopback. A job with Hosts
	// needs it. A port, as in "eth0:7000", applies only to a launcher without Hosts. With an interface, each process
	// listens at the interface of that name on its own host. With an address, it listens at its host's address towards
	// the launcher.
	Bind string
	// Transport connects the processes, as in connect.Dial, in programs that set none; "" is connect.ByAuto.
	Transport string
	// Connect sets when processes connect with each other, as in [tcp.Config], in programs that set none.
	Connect string
	// SSH is the command that runs a command on a host; its last two arguments are the host and that command. The
	// default is "ssh"; a command of that name gets options that keep it from asking and from waiting without a limit.
	// It must pass on standard input, output and error, and end with status 255 if it does not reach the host. It is
	// then tried again until the start limit, if its output shows a trouble that may pass: no connection, or a closed
	// one. It runs once for each host; at most 32 log in at a time.
	SSH []string

	// Stdin is the standard input of process 0 of a job on this machine; all other processes get /dev/null. A terminal
	// is not passed on: only one process group may read from it, and that is not the process's.
	Stdin *os.File
	// Stdout and Stderr receive the output of all processes in whole lines, or unchanged in a job of one process. nil
	// is os.Stdout, os.Stderr. A failure to write to them is the job's error if it has no other; Run returns it at the
	// end.
	Stdout, Stderr io.Writer
	// First keeps Stdout for process 0, which writes to it byte for byte. Stderr receives all output of the others.
	First bool
	// Prefix puts the ranks of the process before each line: "[4-7] ". Without it the lines are forwarded unchanged. If
	// process 0 has no prefix, runs here and would print to a terminal, it gets the terminal itself, and may draw.
	Prefix bool

	// Restarts is the number of times that the job is started again after the death of a process, without a new
	// checkpoint in between; 0 is never. Process 0 gets Stdin once.
	Restarts int
	// Spare are hosts that replace lost ones when the job is started again.
	Spare []string

	Grace time.Duration // from the first failure to SIGTERM for the rest; default 2 s
	// StartLimit is the time for the processes to join, and to connect with each other. 0 is PEBBLES_START_LIMIT in the
	// environment, or else 30 s.
	StartLimit time.Duration
	// SilenceLimit is the time without messages from a process, such as a stopped one, until the others count it as
	// lost. It is at least 1 s; 0 is PEBBLES_SILENCE_LIMIT in the environment, or else 10 s.
	SilenceLimit time.Duration

	// Alone allows a launcher that is itself one of several tasks of another launcher, such as mpirun: each then runs
	// its own job. PEBBLES_ALONE=1 in the environment does the same. Otherwise Run returns an error.
	Alone bool

	Log *slog.Logger // may be nil

	build string // handshake.BuildSetting for processes on this machine; may be empty
	here  int    // number of processes on this machine; 0 is all
}

const defaultGrace = 2 * time.Second

// RanksHere returns the default number of ranks of a job whose processes all run on this machine.
func RanksHere(processes int) int {
	return max(1, min(runtime.GOMAXPROCS(0), ranksMax)/processes) * processes
}

// complete fills in defaults, and returns an error for invalid values.
func (s Spec) complete() (Spec, error) {
	if s.Ranks == 0 && s.Processes > 0 {
		s.Ranks = s.Processes
		if len(s.Hosts) == 0 {
			s.Ranks = RanksHere(s.Processes)
		}
	}
	if s.Grace <= 0 {
		s.Grace = defaultGrace
	}
	p := parser{values: make(map[string]string)}
	for _, name := range []string{varStartLimit, varSilence} {
		if v, ok := os.LookupEnv(name); ok {
			p.values[name] = v
		}
	}
	start, silence := p.limits()
	if len(p.wrong) > 0 {
		return s, errors.New(strings.Join(p.wrong, "; "))
	}
	if s.StartLimit <= 0 {
		s.StartLimit = start
	}
	if s.SilenceLimit <= 0 {
		s.SilenceLimit = silence
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Stdout == nil {
		s.Stdout = os.Stdout
	}
	if s.Stderr == nil {
		s.Stderr = os.Stderr
	}
	if s.Stdin != nil && term.IsTerminal(int(s.Stdin.Fd())) {
		s.Stdin = nil
	}
	if len(s.SSH) == 0 {
		s.SSH = []string{"ssh"}
	}
	for _, check := range []func(*Spec) error{
		checkAlone, checkSize, checkResources, checkNetwork, checkHosts, checkText, findDir, findProgram,
	} {
		if err := check(&s); err != nil {
			return s, err
		}
	}
	return s, nil
}

func checkAlone(s *Spec) error {
	if meant, err := meantAlone(s.Alone); meant || err != nil {
		return err
	}
	return checkTasks("start the program itself in its place, or one job by `pebbles run`")
}

func checkSize(s *Spec) error {
	switch {
	case s.Processes < 1 || s.Processes > processesMax:
		return fmt.Errorf("%d processes were asked for, a job has 1 to %d", s.Processes, processesMax)
	case s.Ranks < s.Processes || s.Ranks > ranksMax:
		return fmt.Errorf("%d ranks were asked for, %d processes need %d to %d", s.Ranks, s.Processes, s.Processes, ranksMax)
	case s.SilenceLimit < silenceLimitMin:
		return fmt.Errorf("a silence limit of %v is too short, the least is %v", s.SilenceLimit, silenceLimitMin)
	case len(s.Program) == 0 || s.Program[0] == "":
		return errors.New("there is no program to start")
	}
	return nil
}

func checkNetwork(s *Spec) error {
	return errors.Join(checkTransport(s.Transport), checkConnect(s.Connect))
}

// checkConnect refuses values that tcp.Config.Connect doesn't accept.
func checkConnect(setting string) error {
	switch setting {
	case "", tcp.ConnectAll, tcp.ConnectNeed:
		return nil
	}
	return fmt.Errorf("connections are made %q: say %s or %s", setting, tcp.ConnectAll, tcp.ConnectNeed)
}

// checkTransport refuses names that connect.Dial doesn't accept.
func checkTransport(name string) error {
	if _, _, err := connect.Parse(name); err != nil {
		return fmt.Errorf("choose a transport between processes: %w", err)
	}
	return nil
}

func checkHosts(s *Spec) error {
	if len(s.Hosts) == 0 {
		return nil
	}
	if s.Bind == "" {
		return errors.New("a job on other hosts needs the address or interface by which they reach this one: name it in " +
			"Bind (--bind)")
	}
	if len(s.Hosts) > s.Processes {
		return fmt.Errorf("there are %d hosts for %d processes: name at most one host a process", len(s.Hosts), s.Processes)
	}
	for _, h := range append(slices.Clone(s.Hosts), s.Spare...) {
		if err := checkHost(h); err != nil {
			return err
		}
	}
	return nil
}

var setting = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

func checkText(s *Spec) error {
	for _, text := range append(append([]string{s.Dir}, s.Program...), s.Env...) {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("%q has a zero byte, no argument or variable can", text)
		}
	}
	for _, v := range s.Env {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case !setting.MatchString(v):
			return fmt.Errorf("environment %q is not of the form NAME=value", v)
		case isVariable(name) || slices.Contains(shellVariables, name):
			return fmt.Errorf("environment %q: the launcher needs this name itself, use another one", v)
		}
	}
	return nil
}

func findDir(s *Spec) (err error) {
	if s.Dir == "" {
		s.Dir = "."
	}
	if s.Dir, err = filepath.Abs(s.Dir); err != nil {
		return fmt.Errorf("find working directory: %w", err)
	}
	return nil
}

func findProgram(s *Spec) error {
	path, err := exec.LookPath(s.Program[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return fmt.Errorf("find program: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("find program: %w", err)
	}
	s.Program = append([]string{path}, s.Program[1:]...)
	if len(s.Hosts) == 0 && s.Processes > 1 {
		if s.build, err = handshake.BuildSetting(path); err != nil { // each process then reads it
			s.Log.Debug("read program", "error", err)
			s.build = ""
		}
	}
	return nil
}

// host returns the host of a process; "" is this machine.
func (s *Spec) host(process int) string {
	if len(s.Hosts) == 0 {
		return ""
	}
	return s.Hosts[process*len(s.Hosts)/s.Processes]
}

// memberBind returns the part of Bind that processes get: the name of an interface, or nothing.
func (s *Spec) memberBind() string {
	name := s.Bind
	if host, _, err := net.SplitHostPort(s.Bind); err == nil {
		name = host
	}
	if _, err := net.InterfaceByName(name); err != nil {
		return ""
	}
	return name
}
