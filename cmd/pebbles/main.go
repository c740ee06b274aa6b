package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/launch"
)

func main() {
	os.Exit(execute(newCommand(terminal{args: os.Args[1:], stdout: os.Stdout, stderr: os.Stderr})))
}

// terminal is what the command has towards its user.
type terminal struct {
	args           []string
	stdout, stderr io.Writer
	begin          func(*job) error              // what is done with a job whose flags are sound; nil is (*job).run
	swept          func(*simulation, *job) error // what is done with a point of a sweep of simulations; nil outside of one
}

// execute runs the command line and returns the exit status. Output that could not be written is a failure, whether or not the code
// that printed it has looked. Every other error that is not a failure is a mistake on the command line.
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

// failure is why a command whose command line was right did not succeed.
type failure struct {
	status int
	err    error // nil when people have been told already
}

func (f *failure) Error() string { return fmt.Sprintf("exit status %d: %v", f.status, f.err) }
func (f *failure) Unwrap() error { return f.err }
