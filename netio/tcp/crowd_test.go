package tcp

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/netio"
)

// crowd is processes with one rank each, connected in memory as at the start of a job that connects on need. At the
// report of a loss each process ends the job, as the runtime does.
type crowd struct {
	all    []*Transport
	told   []chan error
	silent []atomic.Bool // of a process: nobody hears it
}

func newCrowd(t *testing.T, processes int) *crowd {
	c := &crowd{make([]*Transport, processes), make([]chan error, processes), make([]atomic.Bool, processes)}
	for i := range c.all {
		config := Config{Place: netio.PlaceOf(processes, processes, i), Connect: ConnectNeed}
		require.ErrorContains(t, config.complete(), "no listener") // it has filled in the defaults
		tr, told := newTransport(config), make(chan error, processes)
		tr.Start(func(err error) {
			tr.Abort(err.Error())
			told <- err
		})
		c.all[i], c.told[i] = tr, told
	}
	for i, tr := range c.all {
		for _, other := range neighbours(i, processes) {
			if other > i {
				a, b := net.Pipe()
				require.NoError(t, tr.peer(other).join(controlStream, muffled{a, &c.silent[i]}))
				require.NoError(t, c.all[other].peer(i).join(controlStream, muffled{b, &c.silent[other]}))
			}
		}
	}
	t.Cleanup(func() {
		var closing sync.WaitGroup
		for _, tr := range c.all {
			closing.Go(func() { tr.Close() })
		}
		closing.Wait()
	})
	return c
}

// requireTold requires that all but the given processes are told within a time which one of these was lost.
func (c *crowd) requireTold(t *testing.T, limit time.Duration, lost ...int) {
	t.Helper()
	began, name := time.Now(), ""
	gone := make(map[int]bool)
	for _, process := range lost {
		gone[process] = true
		name += fmt.Sprintf("|lost process %d ", process)
	}
	for i, told := range c.told {
		if !gone[i] {
			require.Regexp(t, name[1:], await(t, told).Error(), "process %d", i)
		}
	}
	require.LessOrEqual(t, time.Since(began), limit)
}

// await is what a process is told.
func await(t *testing.T, told chan error) error {
	t.Helper()
	select {
	case err := <-told:
		return err
	case <-time.After(time.Minute):
		require.Fail(t, "it is not told")
		return nil
	}
}

// Every process is told of a death within the 2 s that it may take, also of two at once, and of the tree's root.
func TestDeathIsToldToAll(t *testing.T) {
	const processes = 64
	for _, dead := range [][]int{{0}, {1}, {32}, {63}, {40, 44}, {0, 32}, {0, 1}} {
		t.Run(fmt.Sprint(dead), func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				c := newCrowd(t, processes)
				time.Sleep(time.Minute)
				for _, process := range dead {
					c.all[process].Kill()
				}
				c.requireTold(t, 2*time.Second, dead...)
			})
		})
	}
}

// A process that hears others, and is not heard, is lost to all within the silence limit and 2 s, and ends as well.
func TestUnheardProcessIsToldToAll(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		c := newCrowd(t, 32)
		time.Sleep(time.Minute)
		c.silent[12].Store(true)
		limit := c.all[0].config.SilenceMax
		c.requireTold(t, limit+limit/4+2*time.Second, 12)
		require.Error(t, await(t, c.told[12]))
	})
}

// A process that has left a job that has failed is not lost, and others end although they do not get its reason.
func TestLeavingIsNoLoss(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		c := newCrowd(t, 8)
		for _, other := range treeNeighbours(6, 8) {
			c.all[6].peer(other).quietly()
		}
		began := time.Now()
		c.all[6].Abort("its disk is full")
		go c.all[6].Close()
		for i, told := range c.told {
			if i != 6 {
				require.ErrorContains(t, await(t, told), "process 6 left the job", "process %d", i)
			}
		}
		require.LessOrEqual(t, time.Since(began), noticeDelayMax)
	})
}

// quietly lets abort messages to the peer go astray.
func (p *peer) quietly() {
	send := p.t.spread.send
	p.t.spread.send = func(next int, n *notice) {
		if next != p.place.Process {
			send(next, n)
		}
	}
}
