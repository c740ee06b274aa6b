package pebble_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
)

// slowToTell is a transport that is slow to report a failure to others, and records the calls.
type slowToTell struct {
	netio.Transport
	mu    sync.Mutex
	calls []string
}

func (s *slowToTell) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
}

func (s *slowToTell) Abort(reason string) {
	time.Sleep(20 * time.Millisecond)
	s.note("told")
	s.Transport.Abort(reason)
}

func (s *slowToTell) Close() error {
	s.note("left")
	return s.Transport.Close()
}

// A process sends the cause of the failure before it leaves: otherwise the others would take its leaving for the cause.
func TestCauseIsToldBeforeAProcessLeaves(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &slowToTell{Transport: mem.New(2)}
	err := pebble.Run(ctx, pebble.Config{Transport: s}, func(r *pebble.Rank) error {
		cancel(cause)
		for {
			if err := r.Barrier(); err != nil {
				return err
			}
		}
	})
	require.ErrorIs(t, err, cause)
	require.Equal(t, []string{"told", "left"}, s.calls)
}
