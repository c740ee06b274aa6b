package handshake_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/internal/handshake"
)

// Dials wait for each other, 8 at a time, but one that takes longer than a second holds up no other.
func TestSlowDialsHoldUpNoOther(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		const slow, fast = 20, 40
		d, began := handshake.NewDialler(), time.Now()
		var mu sync.Mutex
		var all sync.WaitGroup
		now, most := 0, 0
		dial := func(takes time.Duration) {
			err := d.Reach(t.Context(), func(context.Context) (again bool, err error) {
				mu.Lock()
				now++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(takes)
				mu.Lock()
				now--
				mu.Unlock()
				return false, nil
			})
			require.NoError(t, err)
		}
		for range slow {
			all.Go(func() { dial(time.Hour) })
		}
		synctest.Wait()
		mu.Lock()
		require.Equal(t, 8, most)
		mu.Unlock()
		var quick sync.WaitGroup
		for range fast {
			quick.Go(func() { dial(time.Millisecond) })
		}
		quick.Wait()
		require.Less(t, time.Since(began), 4*time.Second)
		all.Wait()
	})
}

// A member whose connection is not wanted is notified, and the gate logs nothing. One that was wanted, but is dropped
// since the gate closes, is taken back.
func TestUnwantedConnections(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		h := newHall(t, 1)
		var closing sync.WaitGroup
		h.Wanted = func(handshake.Hello) bool {
			if wanted {
				closing.Go(h.Close)
				for c, err := net.Dial("tcp", h.Listener.Addr().String()); err == nil; {
					c.Close()
					c, err = net.Dial("tcp", h.Listener.Addr().String())
				}
			}
			return wanted
		}
		left := make(chan handshake.Hello, 1)
		h.Leave = func(hello handshake.Hello) { left <- hello }
		h.Open()
		c, err := net.Dial("tcp", h.Listener.Addr().String())
		require.NoError(t, err)
		_, _, err = handshake.Client(c, []byte("secret"), hello(1), 0)
		require.Equal(t, !wanted, errors.Is(err, handshake.ErrCrossed)) // one that was wanted may have been greeted
		c.Close()
		h.Close()
		closing.Wait()
		if wanted {
			require.Len(t, left, 1)
		} else {
			require.Empty(t, left)
			require.Empty(t, h.log.String())
		}
		require.Empty(t, h.welcomed)
	}
}
