package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/watch"
	"github.com/activepebbles/pebbles/netio"
)

// Main runs a program as a job and ends the process with an exit status of docs/contract.md. Under a launcher ("pebbles
// run", mpiexec, mpirun, srun, Kubernetes: docs/guide-clusters.md) this process joins the launcher's job; otherwise the
// job lives in this process alone, or in config.Transport. SIGINT ends the job, and so does SIGTERM, after
// [Config].Grace.
//
// Errors go to standard error. The process of a panic writes the stack; processes that ended because of it write
// nothing. If a rank has not returned to the runtime 2 seconds after the failure, its position is written. SIGQUIT
// writes each distinct stack of the goroutines, with their number and ranks, and ends the process with status 2; with
// GOTRACEBACK set, it writes Go's text, one stack per goroutine.
func Main(config Config, function func(*Rank) error) {
	defer launch.DumpAtQuit(watch.Quit)()
	ctx, stop := config.WithSignals(context.Background())
	config.Watch.List = true
	err := RunLaunched(ctx, config, function)
	stop()
	launch.Exit(WriteError(launch.Stderr(), err))
}

// Run runs a job and returns when it has ended. It calls function once for each rank of this process, each on its own
// goroutine, or, if the transport is a [netio.Runner], as that arranges. When every rank's function has returned nil,
// the job is done, and Run returns nil. The job fails with the first error or panic of any rank, the loss of a process,
// or the end of ctx; Run then returns that first cause, on every process. A rank that does not return to the runtime
// within 2 seconds of a failure is left behind, and the error says so.
func Run(ctx context.Context, config Config, function func(*Rank) error) error {
	c, err := config.complete()
	if function == nil {
		err = errors.New("pebble: run: the rank's function is nil")
	}
	if err != nil {
		if config.Transport != nil {
			return errors.Join(err, config.Transport.Close())
		}
		return err
	}
	s := c.Tuning.schedule()
	e := c.engine(s)
	if c.Explain == nil {
		w, err := c.watcher()
		if err != nil {
			c.Transport.Abort(err.Error()) // others wait for this process, and have no cause to report
			return errors.Join(err, c.Transport.Close())
		}
		e.Watcher, e.Labels = w, c.Watch.Pprof
		if c.Watch.Trace != "" {
			e.Trace = w.Trace
		}
	}
	var described, preempted atomic.Bool
	e.Described = func() { described.Store(true) }
	err = engine.Run(ctx, e, func(r *engine.Rank) error {
		err := function(&Rank{r, &c, s})
		switch {
		case errors.Is(err, ErrPreempted):
			preempted.Store(true)
			return nil // the others end in order, too
		case err == nil && c.Checkpoints.Folder != "" && !described.Load():
			return errNoCheckpoint
		}
		return err
	})
	if err == nil && preempted.Load() {
		return ErrPreempted
	}
	return err
}

// RunLaunched is [Run], as one process of the job that the environment describes, if any. Under a launcher, a process
// can call it once, and config.Ranks must be 0 or the number of ranks that the job was started with.
func RunLaunched(ctx context.Context, config Config, function func(*Rank) error) error {
	switch {
	case config.Transport != nil:
		return Run(ctx, config, function)
	case launch.Started(config.Alone):
	case launch.Joined():
		return fmt.Errorf("pebble: run: %w", launch.ErrJoinedBefore)
	default:
		return Run(ctx, config, function)
	}
	member, err := launch.Join(ctx, launch.Options{Transport: config.Via, Connect: config.Connect, Ranks: config.Ranks,
		Alone: config.Alone, Log: config.Log})
	if err != nil {
		return err
	}
	ctx, unwatch := member.Within(ctx)
	defer unwatch()
	if ranks := member.Place.Ranks; config.Ranks != 0 && config.Ranks != ranks {
		err := fmt.Errorf("pebble: config: %d ranks, but the job was started with %d: leave Config.Ranks 0, or "+
			"give %d to the launcher, as in `pebbles run --ranks`", config.Ranks, ranks, config.Ranks)
		return errors.Join(err, member.Transport.Close(), member.Close())
	}
	config.Transport, config.started.job, config.started.saved = member.Transport, member.Job, member.Saved
	err = Run(ctx, config, function)
	member.Complain(err)
	return errors.Join(err, member.Close())
}

// WriteError writes the error of a job for people, and returns the exit status for it.
func WriteError(w io.Writer, err error) (status int) {
	var panicked *PanicError
	var aborted *netio.AbortError
	var stuck *engine.StuckError
	switch {
	case err == nil:
		return launch.ExitOK
	case errors.As(err, &panicked):
		fmt.Fprintf(w, "%v\n\n%s", panicked, panicked.Stack)
		status = launch.ExitPanic
	case errors.As(err, &aborted):
		status = launch.ExitFollower
	case errors.Is(err, ErrPreempted) && launch.Joined(): // the launcher reports it
		status = launch.ExitPreempted
	}
	if status != 0 {
		if errors.As(err, &stuck) {
			fmt.Fprintln(w, stuck)
		}
		return status
	}
	fmt.Fprintln(w, err)
	return launch.StatusOf(err)
}
