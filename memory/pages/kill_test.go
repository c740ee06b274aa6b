package pages_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) {
	if !appstest.Member(writeForever) {
		goleak.VerifyTestMain(leaks.Main(m))
	}
}

// writeForever writes to pages of all homes under a lock. The lock's and the pages' home is rank 0; rank 1 holds the
// lock most of the time, and rank 2 waits for it.
func writeForever(r *pebble.Rank, _ string) error {
	s := pages.New(memory.New(r), pages.Config{Copies: true})
	v := pages.NewSlice[uint64](s, "table", distribution.BlockCyclic(1<<16, r.Size(), 1<<16))
	l := pages.NewLock(s, "table", 0)
	if err := s.Barrier(); err != nil {
		return err
	}
	for n := 0; ; n++ {
		l.Lock()
		for i := range v.Write(0, 1<<12) {
			v.Write(0, 1<<12)[i]++
		}
		if r.ID() == 1 {
			for begun := r.Now(); r.Now()-begun < time.Millisecond; {
				v.Read(1<<12, 1<<13)
			}
		}
		l.Unlock()
		if n == 10 {
			appstest.Flows()
		}
	}
}

// If a home, a holder or a waiter is killed, the other ranks end with an error that names it.
func TestKilled(t *testing.T) {
	for _, by := range []string{connect.ByShm, connect.ByTCP} {
		for victim, who := range []string{"home", "holder", "waiter"} {
			t.Run(by+" "+who, func(t *testing.T) { appstest.Kills(t, 2, by, "writes", victim) })
		}
	}
}
