package main

import (
	"errors"
	"fmt"
	"io"
	"os"

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

func (f *failure) Error() string { return fmt.Sprintf("exit status %d: %v", f.status, f.err) }
func (f *failure) Unwrap() error { return f.err }
