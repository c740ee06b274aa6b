package launch

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// SignalError is why a context of [Signals] has ended, or a job that was told to end.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string {
	return fmt.Sprintf("ended by signal %d (%v)", int(e.Signal), e.Signal)
}

// Status is the exit status that tells of the signal: 128 and its number.
func (e *SignalError) Status() int { return 128 + int(e.Signal) }

// Signals returns a context that ends at the first SIGINT or SIGTERM to this process, with a [*SignalError] as its cause
// (context.Cause). From then on signals have their usual effect again, so that a second one ends the process. stop gives
// up waiting and ends the context; it may be called again.
func Signals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	arrived := make(chan os.Signal, 1)
	notify(arrived, syscall.SIGINT, syscall.SIGTERM)
	var listening sync.WaitGroup
	listening.Go(func() {
		defer signal.Stop(arrived)
		select {
		case s := <-arrived:
			cancel(&SignalError{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel(context.Canceled)
		listening.Wait()
	}
}

// notify leaves out the signals that this process was started to ignore, as by nohup.
func notify(to chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(to, s)
		}
	}
}
