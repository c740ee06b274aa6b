package lab

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// UsageError is an error of who called a program.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap is the error itself.
func (e UsageError) Unwrap() error { return e.Err }

// Exit statuses of Program.
const (
	failed  = 1
	misused = 2
)

// Program is the main function of a program that measures. command is given a context that an interrupt ends, the arguments, and where
// results and progress go. Its error is told under the program's name, and makes the exit status 2 when it is a UsageError, and
// otherwise 1; asking for help is none.
func Program(name string, command func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	var wrong UsageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case errors.As(err, &wrong):
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(misused)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	os.Exit(failed)
}
