package command

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/launch/kubernetes"
	"github.com/activepebbles/pebbles/internal/values"
)

func newRun(t Terminal) *cobra.Command {
	var forms forwarding
	s := &settings{}
	s.Options, s.runtime = runtimeFlags()
	c := &cobra.Command{
		Use:   "run -n N [flags] -- PROGRAM [ARGUMENTS]",
		Short: "Start a program as one job of several processes",
		Long: "run starts a program that uses the library as one job of N processes, on this machine or over ssh.\n" +
			"Its standard output is that of the first process, which has rank 0, as it is. Other output goes to\n" +
			"standard error, each line prefixed by the ranks of its process when there are several. Signals are\n" +
			"forwarded, and so is the exit status. When one process fails, all end, and the message names the one\n" +
			"that failed first. With --restart the job is started again after a process has died.",
		Example: "  pebbles run -n 4 -- ./wordcount book.txt\n" +
			"  pebbles run -n 2 --ranks 8 -- ./program\n" +
			"  pebbles run -n 3 -- ./program --json | jq .\n" +
			"  pebbles run -n 4 --restart 3 -- ./program -checkpoint /scratch/job\n" +
			"  pebbles run -n 8 --hosts alpha,beta --bind eth0 -- /opt/program\n" +
			"  pebbles run --hosts node[01-16]:4 --bind eth0 -- /opt/program",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("there is no program to start: name one after --")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			s.read()
			if s.spread.Processes == 0 && !s.spread.OnHosts() {
				return errors.New("say how many processes to start with -n N, or where with --hosts or --hostfile")
			}
			if err := errors.Join(s.log.check(), forms.check(), s.checkNetwork()); err != nil {
				return err
			}
			if err := values.OneOf(s.transport, Transports[1:]); err != nil {
				return fmt.Errorf("--transport %s: %w", s.transport, err)
			}
			if err := s.spread.Check(); err != nil {
				return err
			}
			if t.Begin != nil {
				return t.Begin(nil)
			}
			spec := s.spread.Spec(args, s.log.logger(t.Stderr))
			spec.Transport, spec.Connect = s.via(), s.text("connect")
			forms.apply(&spec)
			return runProgram(t, spec)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.SetInterspersed(false) // words after the program belong to the program
	f.VarP(Count(&s.spread.Processes, 1, "one a host or slot"), "procs", "n", "processes to start")
	s.addRuntime(c, "ranks", "transport", "tls", "connect", "provider", "pinned", "insecure")
	Completes(c, "transport", cobra.ShellCompDirectiveNoFileComp, Transports[1:]...)
	f.BoolVar(&forms.prefix, "prefix", false,
		"forward standard output of all processes, each line prefixed by the ranks of its process")
	f.BoolVar(&forms.bare, "no-prefix", false,
		"forward standard output and standard error of all processes without prefixes")
	s.spread.Register(c)
	s.log.register(c)
	return c
}

// forwarding are the flags for the forwarding of output.
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

// runProgram starts a program as a job, and returns after its end.
func runProgram(t Terminal, s launch.Spec) error {
	s.Stdin, s.Stdout, s.Stderr = t.Stdin, unchecked(t.Stdout), t.Stderr
	result, err := launch.Run(context.Background(), s)
	if err != nil {
		return &Failure{result.Status, err}
	}
	if !slices.ContainsFunc(result.Outcomes, func(o launch.Outcome) bool { return o.Joined }) {
		return &Failure{launch.ExitError,
			fmt.Errorf("no process has joined the job: each of the %d has run %s by itself: does the program call "+
				"pebble.Main, pebble.RunLaunched or launch.Join?", len(result.Outcomes), s.Program[0])}
	}
	return nil
}

func newK8s(t Terminal) *cobra.Command {
	j := kubernetes.Job{Port: kubernetes.Port}
	start := timeout{time: kubernetes.StartLimit, least: time.Second}
	grace := timeout{time: kubernetes.GracePeriod, least: time.Second}
	var dockerfile string
	c := &cobra.Command{
		Use:   "k8s --name NAME --image IMAGE -n N [flags] [-- PROGRAM [ARGUMENTS]]",
		Short: "Write the Kubernetes manifests that run a program as one job",
		Long: "k8s prints manifests for kubectl: an Indexed Job with a pod for each of N processes, a headless\n" +
			"Service for the pods to find each other, and a new Secret each time. Without a program the pods\n" +
			"run the entry point of the image; words after -- are its arguments if the first one begins with -.\n" +
			"With --dockerfile it prints a Dockerfile instead, for an image that holds the program alone, as\n" +
			"/program. It needs no cluster: only kubectl does.",
		Example: "  pebbles k8s --name words --image registry.example.org/words:v1 -n 8\n" +
			"  pebbles k8s --name words --image registry.example.org/words:v1 -n 8 --cpu 4 --memory 8Gi -- /program book.txt\n" +
			"  pebbles k8s --dockerfile ./cmd/words",
		Args: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() < 0 {
				return NoArguments(c, args)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch alone := c.Flags().NFlag() == 1 && len(args) == 0; {
			case c.Flags().Changed("dockerfile") && alone:
				return kubernetes.WriteDockerfile(t.Stdout, dockerfile)
			case c.Flags().Changed("dockerfile"):
				return errors.New("--dockerfile prints no manifests: leave out their flags")
			case j.Name == "" || j.Image == "" || j.Processes == 0:
				return errors.New("the manifests need a program: give --name NAME, --image IMAGE and -n N")
			case len(args) > 0 && strings.HasPrefix(args[0], "-"):
				j.Arguments = args
			case len(args) > 0:
				j.Program, j.Arguments = args[0], args[1:]
			}
			j.StartLimit, j.GracePeriod = start.time, grace.time
			var secret [kubernetes.SecretBytes]byte
			rand.Read(secret[:])
			return j.Write(t.Stdout, secret)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&j.Name, "name", "",
		"`name` of the Job, the Service and the Secret; pods are NAME-0, NAME-1 and so on")
	f.StringVar(&j.Image, "image", "", "container `image` of the pods")
	f.VarP(Count(&j.Processes, 1, ""), "procs", "n", "processes, one per pod")
	f.Var(Count(&j.Ranks, 1, "the program's choice"), "ranks", "ranks of the whole job")
	f.StringVar(&j.Namespace, "namespace", "", "`namespace` (default that of kubectl)")
	f.StringVar(&j.CPU, "cpu", "", "`CPUs` per process, as request and limit, such as 4")
	f.StringVar(&j.Memory, "memory", "", "memory per process, as request and limit, a `size` such as 8Gi")
	f.Var(Count(&j.Port, 1, ""), "port", "port of the Service")
	f.Var(&start, "start-limit",
		"time limit for the processes to find each other")
	f.Var(&grace, "grace-period",
		"time from SIGTERM to SIGKILL, in whole seconds: longer than the program's own grace")
	f.StringVar(&dockerfile, "dockerfile", "", "print a Dockerfile for the package in this `folder`, such as ./cmd/words")
	for _, name := range []string{"name", "image", "procs", "ranks", "namespace", "cpu", "memory", "port", "start-limit",
		"grace-period"} {
		Completes(c, name, cobra.ShellCompDirectiveNoFileComp)
	}
	Completes(c, "dockerfile", cobra.ShellCompDirectiveFilterDirs)
	return c
}

func newDoctor(t Terminal) *cobra.Command {
	var inJSON, alone bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Diagnose launchers and libfabric on this host",
		Long: "doctor prints the launcher that started this process, the variables that show it, and how the\n" +
			"process would find the others of its job. Start it like the program that fails to start: mpiexec\n" +
			"-n 4 pebbles doctor. It also lists the providers of libfabric, for transport ofi, and their\n" +
			"missing parts. Its status is 1 when it finds a problem; a job needs no libfabric.",
		Example: "  pebbles doctor\n  pebbles doctor --json",
		Args:    NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if t.Begin != nil {
				return t.Begin(nil)
			}
			f := launch.Examine(c.Context(), alone)
			fabric, lines := examineFabric()
			if err := Written(printFinding(t, f, fabric, lines, inJSON)); err != nil {
				return err
			}
			if f.Problem != "" {
				return &Failure{Status: launch.ExitError}
			}
			return nil
		},
	}
	c.Flags().SortFlags = false
	c.Flags().BoolVar(&inJSON, "json", false, "print one JSON object instead of a table")
	c.Flags().BoolVar(&alone, "alone", false, "diagnose as for a program with -alone")
	return c
}

// printFinding prints all lines at once, since other tasks print theirs at the same time. lines describes fabric.
func printFinding(t Terminal, f launch.Finding, fabric any, lines [][2]string, inJSON bool) error {
	if inJSON {
		return json.NewEncoder(t.Stdout).Encode(struct {
			launch.Finding

			Libfabric any `json:"libfabric,omitempty"`
		}{f, fabric})
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	launcher := f.Launcher
	if launcher == "" {
		launcher = "none: this process has a job of its own"
	}
	fmt.Fprintf(w, "launcher\t%s\n", launcher)
	if len(f.Because) > 0 {
		fmt.Fprintf(w, "because\t%s\n", strings.Join(f.Because, " "))
	}
	if f.Launcher != "" {
		fmt.Fprintf(w, "process\t%d of %d\n", f.Process, f.Processes)
		fmt.Fprintf(w, "meets the others\t%s\n", f.Meets)
	}
	if f.Listens != "" {
		fmt.Fprintf(w, "listens at\t%s\n", f.Listens)
	}
	fmt.Fprintf(w, "host\t%s\n", f.Host)
	fmt.Fprintf(w, "cores\t%d\n", f.Cores)
	fmt.Fprintf(w, "open files\t%d needed, %d allowed\n", f.NeedFiles, f.OpenFiles)
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t%s\n", l[0], l[1])
	}
	if f.Problem != "" {
		fmt.Fprintf(w, "problem\t%s\n", f.Problem)
	}
	_ = w.Flush() // to memory
	_, err := t.Stdout.Write([]byte(b.String()))
	return err
}
