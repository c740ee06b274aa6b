// Package command is the command line of Active Pebbles: the applications and the tools beside them. Each application
// prints a table, or with --json one object; nothing else goes to standard output. Progress, logs and errors go to
// standard error.
package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
)

// Program is a command line with tools beside the applications.
type Program struct {
	Name, Short, Long, Example string
	Tools                      []Maker
}

// Pebbles returns the command pebbles.
func Pebbles() Program {
	return Program{
		Name:  "pebbles",
		Short: "Active Pebbles: programs made of many small messages, on one machine or many",
		Long: "pebbles runs the applications of Active Pebbles for Go, and starts programs built on the library as\n" +
			"jobs of several processes.",
		Example: "  pebbles randomaccess\n  pebbles bfs --kronecker 16 --roots 4\n  pebbles run -n 4 -- ./program",
		Tools: []Maker{
			{"run", newRun}, {"k8s", newK8s}, {"sim", newSim}, {"tune", newTune}, {"report", newReport},
			{"trace", newTrace}, {"top", newTop}, {"ps", newPs}, {"doctor", newDoctor},
		},
	}
}

// Main runs the command line of a process, and ends it. A process that a launcher has started as its agent on another
// host is that instead.
func Main(p Program) {
	launch.BeAgent()
	os.Exit(Execute(New(p, Terminal{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})))
}

// Terminal is a command's arguments, streams and hooks.
type Terminal struct {
	Args           []string
	Stdin          *os.File
	Stdout, Stderr io.Writer
	Begin          func(*Job) error // runs a job with checked flags; nil means the job's own start
}

// Execute runs the command line and returns the exit status. A failed write of output is a failure, even if the
// printing code ignored it. Every other error that is not a failure is a mistake on the command line.
func Execute(root *cobra.Command) (status int) {
	command, err := root.ExecuteC()
	var f *Failure
	if out, ok := root.OutOrStdout().(*checked); ok && out.err != nil && !errors.As(err, &f) {
		err = Written(out.err)
	}
	switch {
	case err == nil:
		return launch.ExitOK
	case errors.As(err, &f):
		if f.Err != nil {
			fmt.Fprintf(root.ErrOrStderr(), "%s: %v\n", command.CommandPath(), f.Err)
		}
		return f.Status
	}
	path := command.CommandPath()
	fmt.Fprintf(root.ErrOrStderr(), "%s: %v; run '%s --help'\n", path, err, path)
	return ExitUsage
}

// ExitUsage is the exit status of a mistake on the command line.
const ExitUsage = 2

// Failure is the error of a command with a valid command line.
type Failure struct {
	Status int
	Err    error // nil if it has been printed
}

// Failed returns the failure of a command that err has ended, or nil if err is nil. A signal gives the status.
func Failed(err error) error {
	var s *launch.SignalError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &s):
		return &Failure{s.Status(), err}
	}
	return &Failure{launch.ExitError, err}
}

// ThisProgram returns the file of this command.
func ThisProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return self, nil
}

func (f *Failure) Error() string { return fmt.Sprintf("exit status %d: %v", f.Status, f.Err) }
func (f *Failure) Unwrap() error { return f.Err }

// New returns a program's root command with all others.
func New(p Program, t Terminal) *cobra.Command {
	t.Stdout = &checked{to: t.Stdout}
	root := &cobra.Command{
		Use: p.Name, Short: p.Short, Long: p.Long, Example: p.Example,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetArgs(append([]string{}, t.Args...)) // nil would mean those of the process
	root.SetOut(t.Stdout)
	root.SetErr(t.Stderr)
	root.Flags().Bool("version", false, "print the version") // without cobra's -v, which is --verbose elsewhere
	root.SetHelpFunc(help)
	root.SetUsageFunc(func(c *cobra.Command) error {
		printUsage(c.OutOrStderr(), c)
		return nil
	})
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if first := firstWord(t.Args); c == root && first != "" {
			return noCommand(c, []string{first})
		}
		return inWords(err)
	})
	tools := slices.Concat(p.Tools, []Maker{{"version", newVersion}})
	addCalled(root, t, slices.Concat(applications(), tools), 0)
	completeCompletion(root)
	return root
}

// Maker makes the command with a name and all of its flags.
type Maker struct {
	Name string
	Make func(Terminal) *cobra.Command
}

// applications returns the commands that run an application as a job.
func applications() []Maker {
	return []Maker{
		{"randomaccess", newRandomAccess}, {"permutation", newPermutation}, {"pointerchase", newPointerChase},
		{"bfs", newBFS}, {"sssp", newSSSP}, {"centrality", newCentrality}, {"pagerank", newPageRank},
		{"components", newComponents}, {"communities", newCommunities}, {"triangles", newTriangles},
		{"jaccard", newJaccard}, {"kcore", newKCore}, {"sort", newSort}, {"join", newJoin}, {"group", newGroup},
		{"alltoall", newAllToAll}, {"reduce", newReduce}, {"epochs", newEpochs},
		{"uts", newUTS}, {"ping", newPing}, {"stressmark", newStressmark}, {"access", newAccess}, {"pages", newPages},
		{"contagion", newContagion}, {"words", newWords}, {"kmers", newKmers}, {"nbody", newNBody},
	}
}

// addCalled adds the command that the word at a place of the command line names, or all commands if it names none.
// Making the flags of all takes half the time of a process without work.
func addCalled(parent *cobra.Command, t Terminal, makers []Maker, place int) {
	if place < len(t.Args) {
		called := func(m Maker) bool { return m.Name == t.Args[place] }
		if i := slices.IndexFunc(makers, called); i >= 0 {
			makers = makers[i : i+1]
		}
	}
	for _, m := range makers {
		parent.AddCommand(m.Make(t))
	}
}

// completeCompletion makes the generated completion command refuse unknown shells.
func completeCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic("pebbles: " + err.Error())
	}
	completion.Example = "  source <(pebbles completion bash)"
	completion.Args = noCommand
	completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// firstWord returns the first argument that is no flag.
func firstWord(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// noCommand rejects words that name no command.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return fmt.Errorf("unknown command %q: use one of %s", args[0], strings.Join(names, ", "))
}

// NoArguments rejects arguments of a command that has only flags.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unexpected argument %q: %s takes only flags", args[0], c.Name())
}

func newVersion(Terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of pebbles and of Go",
		Example: "  pebbles version",
		Args:    NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "%s %s\n", c.Root().Name(), version())
			return Written(err)
		},
	}
}

// version returns the module's version, the commit if known, and the toolchain.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	text := info.Main.Version
	if text == "" {
		text = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			text += " modified"
		}
	}
	return fmt.Sprintf("%s, %s %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// checked is a standard output that keeps its first write error, because the code that prints help, completions and
// tables ignores errors. It is for one goroutine.
type checked struct {
	to  io.Writer
	err error
}

func (c *checked) Write(text []byte) (int, error) {
	n, err := c.to.Write(text)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// unchecked unwraps a checked writer, so that a started process gets the terminal itself.
func unchecked(w io.Writer) io.Writer {
	for {
		c, ok := w.(*checked)
		if !ok {
			return w
		}
		w = c.to
	}
}
