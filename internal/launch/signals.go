package launch

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/stacks"
)

// SignalError is the error of a context of [Signals], or of a job, that a signal ended.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string {
	return fmt.Sprintf("ended by signal %d (%v)", int(e.Signal), e.Signal)
}

// Status returns the exit status of the signal: 128 plus its number.
func (e *SignalError) Status() int { return 128 + int(e.Signal) }

// bounce is the time within which a repeated signal counts as the same one: a terminal and a wrapper such as timeout
// may both send it.
const bounce = 100 * time.Millisecond

// Signals returns a context that ends at the first SIGINT or SIGTERM to this process, with a [*SignalError] as its
// cause (context.Cause). From a tenth of a second later, signals have their usual effect again, so that a second one
// ends the process. stop ends the wait and the context; it may be called again.
func Signals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, _, stop = Preemptible(ctx, 0)
	return ctx, stop
}

// Preemptible is Signals for a program that can end in order. The first SIGTERM or SIGUSR1, which schedulers send
// before a preemption, closes preempted. The context ends when grace has passed since SIGTERM, or at the next signal
// other than SIGUSR1. SIGINT ends it at once. Without grace, preempted is nil, SIGTERM is like SIGINT, and SIGUSR1 has
// no effect.
func Preemptible(ctx context.Context, grace time.Duration) (_ context.Context, preempted <-chan struct{}, stop func()) {
	var term chan struct{}
	if grace > 0 {
		term = make(chan struct{})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	arrived := make(chan os.Signal, 2)
	notify(arrived, syscall.SIGINT, syscall.SIGTERM)
	if grace > 0 {
		notify(arrived, syscall.SIGUSR1)
	}
	stopped, unblock := context.WithCancel(context.Background())
	var handler sync.WaitGroup
	handler.Go(func() {
		defer signal.Stop(arrived)
		handleSignals(ctx, cancel, arrived, stopped.Done(), grace, term)
	})
	return ctx, term, func() {
		cancel(context.Canceled)
		unblock()
		handler.Wait()
	}
}

// handleSignals cancels ctx at the first signal, or for SIGTERM at the end of the grace, and returns when the next one
// would count as a second.
func handleSignals(
	ctx context.Context, cancel context.CancelCauseFunc, arrived <-chan os.Signal, stopped <-chan struct{},
	grace time.Duration, preempted chan<- struct{},
) {
	tell := sync.OnceFunc(func() { close(preempted) })
	var s os.Signal
	for s == nil || s == syscall.SIGUSR1 {
		select {
		case s = <-arrived:
		case <-ctx.Done():
			return
		}
		if s == syscall.SIGUSR1 {
			tell()
		}
	}
	if s == syscall.SIGTERM && grace > 0 {
		tell()
		if s = awaitGrace(ctx, arrived, grace); s == nil {
			return
		}
	}
	cancel(&SignalError{s.(syscall.Signal)})
	select {
	case <-time.After(bounce):
	case <-stopped:
	}
}

// awaitGrace returns the signal that ends the grace after SIGTERM: another signal, or SIGTERM at its end; nil if ctx
// has ended.
func awaitGrace(ctx context.Context, arrived <-chan os.Signal, grace time.Duration) os.Signal {
	began, over := time.Now(), time.NewTimer(grace)
	defer over.Stop()
	for {
		select {
		case s := <-arrived:
			if s == syscall.SIGINT || s == syscall.SIGTERM && time.Since(began) >= bounce {
				return s
			}
		case <-over.C:
			return syscall.SIGTERM
		case <-ctx.Done():
			return nil
		}
	}
}

// notify skips the signals that this process was started to ignore, as by nohup.
func notify(to chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(to, s)
		}
	}
}

// DumpAtQuit makes this process write the stacks of its goroutines at SIGQUIT, each stack once, and end with
// [ExitPanic]; until stop is called. report is called first. If GOTRACEBACK is set, the signal keeps its effect on a Go
// program.
func DumpAtQuit(report func()) (stop func()) {
	if _, ok := os.LookupEnv("GOTRACEBACK"); ok {
		return func() {}
	}
	arrived := make(chan os.Signal, 1)
	notify(arrived, syscall.SIGQUIT)
	stopped := make(chan struct{})
	go func() {
		select {
		case <-arrived:
			report()
			fmt.Fprintf(Stderr(), "%v: quit; GOTRACEBACK=all has one stack a goroutine in place of one a group\n\n", os.Args[0])
			_ = stacks.Write(Stderr())
			Exit(ExitPanic)
		case <-stopped:
		}
	}()
	return func() {
		signal.Stop(arrived)
		close(stopped)
	}
}
