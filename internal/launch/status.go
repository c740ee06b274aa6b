package launch

import (
	"errors"
	"io"
	"os"
	"slices"

	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
	"github.com/activepebbles/pebbles/netio"
)

// The exit statuses of a process of a job. A process that was ended by signal n has status 128+n.
const (
	ExitOK        = 0  // every rank returned nil
	ExitError     = 1  // a rank returned an error, or the job could not start
	ExitPanic     = 2  // a rank or handler panicked, or the command line is wrong
	ExitStalled   = 76 // the job stood still for as long as it may, and was to end then
	ExitPreempted = 85 // the program saved its state and ended in order, to go on another time
	ExitFollower  = 75 // another process failed first; this one ended because of it
)

// ErrLauncherGone says that the launcher has ended, or can't be reached any more. A process that sees it ends with
// [ExitFollower].
var ErrLauncherGone = errors.New("launcher is gone")

// ErrElsewhere says that the job has failed before it began, but not here. A process that sees it ends with
// [ExitFollower].
var ErrElsewhere = bootstrap.ErrElsewhere

// StatusOf is the exit status that tells of err, as far as this package knows: 0 for nil, [ExitFollower] for
// [ErrLauncherGone], [ErrElsewhere] and errors that another process is to blame for ([netio.Followed]), the status of a
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

// Stderr is where this process writes error messages.
func Stderr() io.Writer { return os.Stderr }

// AskedForHelp reports whether the argument of this process that stands before its last ones, so many of them, asks for
// help: the last that was parsed when those are left.
func AskedForHelp(left int) bool {
	last := len(os.Args) - left - 1
	return last > 0 && slices.Contains([]string{"-h", "--h", "-help", "--help"}, os.Args[last])
}
