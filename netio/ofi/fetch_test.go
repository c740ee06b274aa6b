package ofi

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// late is an end that is too busy to fetch until it is let go.
type late struct {
	*loop
	met, free atomic.Bool
}

func (f *late) Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	if !f.free.Load() {
		f.met.Store(true)
		return errBusy
	}
	return f.loop.Get(peer, mem, r, at, key, tag)
}

// TestSenderEndsBeforeAFetch lets a process send a frame whose payload must be fetched, and lose its endpoint first. No
// part of the frame arrives, its memory returns, and the process is reported as lost: it has damaged nothing.
func TestSenderEndsBeforeAFetch(t *testing.T) {
	for name, end := range map[string]func(sender process, at *loop){
		"alone":            func(_ process, at *loop) { at.Close() },
		"with its process": func(sender process, at *loop) { at.Close(); sender.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &loopback{}
			f, there := &late{loop: n.open()}, n.open()
			all, told := losing(t, func(p int) (fabric, error) { return []fabric{f, there}[p], nil })
			port := all[1].Port(1)
			netiotest.Send(port, 1, 0, 100_000)
			port.Wait(time.Millisecond)
			lookAt(t, all[0].Port(0), "reference", f.met.Load)
			end(all[1], there)
			f.free.Store(true)
			lookAt(t, all[0].Port(0), "word of the loss", func() bool { return len(told) > 0 })
			err := <-told
			netiotest.RequireLost(t, err, 1)
			require.NotErrorIs(t, err, netio.ErrDamaged)
			w := all[0].way
			lookAt(t, all[0].Port(0), "end of the fetch", func() bool {
				return locked(w, func() bool { return w.peers[1].fetches.Lent() == 0 && w.pieces == 0 })
			})
		})
	}
}
