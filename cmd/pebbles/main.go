// Command pebbles runs the applications of Active Pebbles for Go, and starts any program built on the library as a job
// of several processes:
//
//	pebbles randomaccess
//	pebbles bfs --graph web.el.gz --root 0 --procs 4 --json
//	pebbles run -n 4 -- ./program
//
// Each application prints a table for people, or with --json one object; nothing else goes to standard output.
// Progress, logs and errors go to standard error. The exit status is 0 only when the result was verified, and all
// output written; docs/contract.md lists the others.
package main

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

func main() {
	os.Exit(execute(newCommand(terminal{args: os.Args[1:], stdout: os.Stdout, stderr: os.Stderr})))
}

// terminal is the command's arguments, output streams and hooks.
type terminal struct {
	args           []string
	stdout, stderr io.Writer
	begin          func(*job) error              // runs a job whose flags have been checked; nil is (*job).run
	swept          func(*simulation, *job) error // runs one point of a sweep of simulations; nil outside of one
}

// execute runs the command line and returns the exit status. A failed write of output is a failure, even if the
// printing code ignored it. Every other error that is not a failure is a mistake on the command line.
func execute(root *cobra.Command) (status int) {
	command, err := root.ExecuteC()
	var f *failure
	if out, ok := root.OutOrStdout().(*checked); ok && out.err != nil && !errors.As(err, &f) {
		err = written(out.err)
	}
	switch {
	case err == nil:
		return launch.ExitOK
	case errors.As(err, &f):
		if f.err != nil {
			fmt.Fprintf(root.ErrOrStderr(), "%s: %v\n", command.CommandPath(), f.err)
		}
		return f.status
	}
	path := command.CommandPath()
	fmt.Fprintf(root.ErrOrStderr(), "%s: %v; run '%s --help'\n", path, err, path)
	return exitUsage
}

// exitUsage is the status of a mistake on the command line.
const exitUsage = 2

// failure is the error of a command whose command line was right.
type failure struct {
	status int
	err    error // nil when it has been printed already
}

// failed is the failure of a command that err has ended, nil if none has. A signal gives the status.
func failed(err error) error {
	var s *launch.SignalError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &s):
		return &failure{s.Status(), err}
	}
	return &failure{launch.ExitError, err}
}

// thisProgram is the file of this command.
func thisProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return self, nil
}

func (f *failure) Error() string { return fmt.Sprintf("exit status %d: %v", f.status, f.err) }
func (f *failure) Unwrap() error { return f.err }

// newCommand makes the root command with all others.
func newCommand(t terminal) *cobra.Command {
	t.stdout = &checked{to: t.stdout}
	root := &cobra.Command{
		Use:   "pebbles",
		Short: "Active Pebbles: programs made of many small messages, on one machine or many",
		Long: "pebbles runs the applications of Active Pebbles for Go, and starts programs built on the library as jobs of\n" +
			"several processes.",
		Example:       "  pebbles randomaccess\n  pebbles bfs --kronecker 16 --roots 4\n  pebbles run -n 4 -- ./program",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetArgs(t.args)
	root.SetOut(t.stdout)
	root.SetErr(t.stderr)
	root.Flags().Bool("version", false, "print the version") // without cobra's -v, which is --verbose elsewhere
	root.SetVersionTemplate("pebbles {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if first := firstWord(t.args); c == root && first != "" {
			return noCommand(c, []string{first})
		}
		return inWords(err)
	})
	tools := []maker{
		{"run", newRun}, {"k8s", newK8s}, {"sim", newSim}, {"model", newModel}, {"fit", newFit}, {"tune", newTune},
		{"report", newReport}, {"trace", newTrace}, {"top", newTop}, {"ps", newPs}, {"bench", newBench},
		{"limit", newLimit}, {"doctor", newDoctor}, {"version", newVersion},
	}
	addCalled(root, t, slices.Concat(applications(), tools), 0)
	completeCompletion(root)
	return root
}

// A maker makes the command of a name, with all of its flags.
type maker struct {
	name string
	make func(terminal) *cobra.Command
}

// applications are the commands that run one as a job.
func applications() []maker {
	return []maker{
		{"randomaccess", newRandomAccess}, {"permutation", newPermutation}, {"pointerchase", newPointerChase},
		{"bfs", newBFS}, {"sssp", newSSSP}, {"centrality", newCentrality}, {"pagerank", newPageRank},
		{"components", newComponents}, {"triangles", newTriangles}, {"jaccard", newJaccard}, {"kcore", newKCore},
		{"sort", newSort}, {"join", newJoin}, {"alltoall", newAllToAll}, {"reduce", newReduce}, {"epochs", newEpochs},
		{"uts", newUTS}, {"ping", newPing}, {"stressmark", newStressmark}, {"access", newAccess}, {"pages", newPages},
		{"contagion", newContagion}, {"words", newWords}, {"kmers", newKmers}, {"nbody", newNBody},
	}
}

// addCalled adds the command that the word at a place of the command line calls, and all where it calls none of them:
// to make the flags of all takes half the time of a process that has nothing to do.
func addCalled(parent *cobra.Command, t terminal, makers []maker, place int) {
	if place < len(t.args) {
		called := func(m maker) bool { return m.name == t.args[place] }
		if i := slices.IndexFunc(makers, called); i >= 0 {
			makers = makers[i : i+1]
		}
	}
	for _, m := range makers {
		parent.AddCommand(m.make(t))
	}
}

// completeCompletion makes the ready-made completion command refuse shells that it does not know.
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

// firstWord is the first argument that is no flag.
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

// noArguments rejects arguments of a command that has only flags.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unexpected argument %q: %s takes only flags", args[0], c.Name())
}

func newVersion(terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of pebbles and of Go",
		Example: "  pebbles version",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "pebbles %s\n", version())
			return written(err)
		},
	}
}

// version is the module's version, the commit if known, and the toolchain.
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

// unchecked unwraps a checked writer: a started process gets the terminal itself.
func unchecked(w io.Writer) io.Writer {
	for {
		c, ok := w.(*checked)
		if !ok {
			return w
		}
		w = c.to
	}
}
