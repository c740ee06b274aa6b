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
			heed(ctx, cancel, arrived, nil)
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
		heed(ctx, cancel, arrived, unwanted)
		require.Equal(t, began, time.Now())
		require.ErrorContains(t, context.Cause(ctx), "signal 15")
	})
}
