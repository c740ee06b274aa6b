package launch

import (
	"context"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
)

func TestSecondInterruptCountsLater(t *testing.T) {
	j := &job{spec: &Spec{}, ending: ending{next: time.NewTimer(time.Hour)}}
	defer j.next.Stop()
	first := time.Now()
	j.handleSignal(syscall.SIGINT, first)
	j.handleSignal(syscall.SIGINT, first.Add(bounce-1))
	require.Equal(t, running, j.stage, "it is the same one")
	j.handleSignal(syscall.SIGINT, first.Add(bounce))
	require.Equal(t, killed, j.stage)
}

func TestSecondSignalEndsLater(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		arrived := make(chan os.Signal, 1)
		left := make(chan struct{})
		go func() {
			defer close(left)
			handleSignals(ctx, cancel, arrived, nil, 0, nil)
		}()
		arrived <- syscall.SIGINT
		<-ctx.Done()
		time.Sleep(bounce - 1)
		arrived <- syscall.SIGINT
		synctest.Wait()
		require.Len(t, arrived, 1, "it is the same one, and nobody looks at it")
		select {
		case <-left:
			require.Fail(t, "signals have their usual effect again")
		default:
		}
		time.Sleep(time.Nanosecond)
		<-left
	})
}

// TestPreemption sends the signals of schedulers, at their times, to programs that ask for a grace of 30 s, or for
// none. One program ends in order, a second after the notice.
func TestPreemption(t *testing.T) {
	const grace = 30 * time.Second
	const term, interrupt, notice = syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR1
	type event struct {
		at     time.Duration
		signal os.Signal
	}
	for name, c := range map[string]struct {
		grace, inOrder time.Duration
		signals        []event
		preempted      bool
		ends           time.Duration
		cause          error
	}{
		"the grace is over":   {grace, 0, []event{{0, term}}, true, grace, &SignalError{term}},
		"told twice at once":  {grace, 0, []event{{0, term}, {bounce - 1, term}}, true, grace, &SignalError{term}},
		"told again":          {grace, 0, []event{{0, term}, {bounce, term}}, true, bounce, &SignalError{term}},
		"interrupted":         {grace, 0, []event{{time.Second, interrupt}}, false, time.Second, &SignalError{interrupt}},
		"interrupted at once": {grace, 0, []event{{0, term}, {1, interrupt}}, true, 1, &SignalError{interrupt}},
		"ends in order":       {grace, time.Second, []event{{0, term}}, true, time.Second, context.Canceled},
		"noticed, then told": {grace, 0, []event{{0, notice}, {time.Second, term}}, true, time.Second + grace,
			&SignalError{term}},
		"noticed while told": {grace, 0, []event{{0, term}, {bounce, notice}}, true, grace, &SignalError{term}},
		"noticed":            {grace, time.Hour, []event{{0, notice}, {1, notice}}, true, time.Hour + 1, context.Canceled},
		"has no grace":       {0, 0, []event{{0, term}}, false, 0, &SignalError{term}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(context.Background())
				arrived, preempted, unwanted := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
				close(unwanted)
				began := time.Now()
				go func() {
					for _, e := range c.signals {
						time.Sleep(e.at - time.Since(began))
						arrived <- e.signal
					}
					if c.inOrder > 0 {
						<-preempted
						time.Sleep(c.inOrder)
						cancel(context.Canceled)
					}
				}()
				handleSignals(ctx, cancel, arrived, unwanted, c.grace, preempted)
				require.Equal(t, c.ends, time.Since(began))
				require.Equal(t, c.cause, context.Cause(ctx))
				require.Equal(t, c.preempted, closed(preempted))
			})
		})
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
