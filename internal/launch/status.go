package launch

import (
	"errors"
	"io"
	"os"
	"slices"

	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
	"github.com/activepebbles/pebbles/netio"
)

// These are the exit statuses of a process of a job. A process that was ended by signal n has status 128+n.
const (
	ExitOK        = 0  // every rank returned nil
	ExitError     = 1  // a rank returned an error, or the job could not start
	ExitPanic     = 2  // a rank or handler panicked, or the command line is wrong
	ExitStalled   = 76 // the job stood still for the stall limit, and was set to end then
	ExitPreempted = 85 // the program saved its state and ended in order, to go on later
	ExitFollower  = 75 // another process failed first; this one ended because of it
)

// ErrLauncherGone is returned if the launcher has ended, or can't be reached any more. A process that sees it ends with
// [ExitFollower].
var ErrLauncherGone = errors.New("launcher is gone")

// ErrElsewhere is returned if the start of the job has failed, but not here. A process that sees it ends with
// [ExitFollower].
var ErrElsewhere = bootstrap.ErrElsewhere

// StatusOf returns the exit status for err, as far as this package can determine it: 0 for nil, [ExitFollower] for
// [ErrLauncherGone], [ErrElsewhere] and errors that another process caused ([netio.Followed]), the status of a
// [SignalError], [FailedError] or [UnreachedError], else [ExitError].
func StatusOf(err error) int {
	var stated interface { // a SignalError, or that of a job that stood still
		error
		Status() int
	}
	var failed *FailedError
	var unreached *UnreachedError
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrLauncherGone), errors.Is(err, ErrElsewhere), netio.Followed(err):
		return ExitFollower
	case errors.As(err, &failed):
		return failed.First.Failure()
	case errors.As(err, &unreached):
		return unreached.Status
	case errors.As(err, &stated):
		return stated.Status()
	}
	return ExitError
}

// Exit ends this process at once, with the given status.
func Exit(status int) { os.Exit(status) }

// Stderr returns the writer of this process's error messages.
func Stderr() io.Writer { return os.Stderr }

// AskedForHelp reports whether the last parsed argument of this process asks for help. left is the number of arguments
// after it.
func AskedForHelp(left int) bool {
	last := len(os.Args) - left - 1
	return last > 0 && slices.Contains([]string{"-h", "--h", "-help", "--help"}, os.Args[last])
}
