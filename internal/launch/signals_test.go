package launch

import (
	"context"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSecondInterruptCountsLater(t *testing.T) {
	j := &job{spec: &Spec{}, next: time.NewTimer(time.Hour)}
	defer j.next.Stop()
	first := time.Now()
	j.forward(syscall.SIGINT, first)
	j.forward(syscall.SIGINT, first.Add(bounce-1))
	require.Equal(t, going, j.stage, "it is the same one")
	j.forward(syscall.SIGINT, first.Add(bounce))
	require.Equal(t, killed, j.stage)
}

func TestSecondSignalEndsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		arrived := make(chan os.Signal, 1)
		left := make(chan struct{})
		go func() {
			defer close(left)
			heed(ctx, cancel, arrived, nil, 0, nil)
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

func TestSignalsAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		arrived := make(chan os.Signal, 1)
		arrived <- syscall.SIGTERM
		unwanted := make(chan struct{})
		close(unwanted)
		began := time.Now()
		heed(ctx, cancel, arrived, unwanted, 0, nil)
		require.Equal(t, began, time.Now())
		require.ErrorContains(t, context.Cause(ctx), "signal 15")
	})
}

// TestPreemption plays the signals of schedulers, by the time at which each comes, to a program that asks for a grace of 30 s.
func TestPreemption(t *testing.T) {
	const grace = 30 * time.Second
	type event struct {
		at     time.Duration
		signal os.Signal
	}
	for name, c := range map[string]struct {
		signals   []event
		preempted bool
		ends      time.Duration
		by        syscall.Signal
	}{
		"the grace is over":   {[]event{{0, syscall.SIGTERM}}, true, grace, syscall.SIGTERM},
		"told twice at once":  {[]event{{0, syscall.SIGTERM}, {bounce - 1, syscall.SIGTERM}}, true, grace, syscall.SIGTERM},
		"told again":          {[]event{{0, syscall.SIGTERM}, {bounce, syscall.SIGTERM}}, true, bounce, syscall.SIGTERM},
		"interrupted":         {[]event{{time.Second, syscall.SIGINT}}, false, time.Second, syscall.SIGINT},
		"interrupted at once": {[]event{{0, syscall.SIGTERM}, {1, syscall.SIGINT}}, true, 1, syscall.SIGINT},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(context.Background())
				arrived, preempted, unwanted := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
				close(unwanted)
				began := time.Now()
				go func() {
					for _, e := range c.signals {
						time.Sleep(e.at - time.Since(began))
						arrived <- e.signal
					}
				}()
				heed(ctx, cancel, arrived, unwanted, grace, preempted)
				require.Equal(t, c.ends, time.Since(began))
				require.Equal(t, &SignalError{c.by}, context.Cause(ctx))
				require.Equal(t, c.preempted, closed(preempted))
			})
		})
	}
}

// TestPreemptedProgramEnds: a program that has ended in order is not ended again by the grace.
func TestPreemptedProgramEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		arrived, preempted := make(chan os.Signal, 1), make(chan struct{})
		arrived <- syscall.SIGTERM
		go func() {
			<-preempted
			time.Sleep(time.Second)
			cancel(context.Canceled)
		}()
		began := time.Now()
		heed(ctx, cancel, arrived, nil, time.Hour, preempted)
		require.Equal(t, time.Second, time.Since(began))
		require.ErrorIs(t, context.Cause(ctx), context.Canceled)
	})
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
