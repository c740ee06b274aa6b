package pages_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/pebble"
)

const (
	memberVariable    = "PAGES_TEST_MEMBER"           // the number of a process that a test has started
	transportVariable = "PAGES_TEST_MEMBER_TRANSPORT" // its transport
	killsVariable     = "PEBBLES_KILLS"               // how often each is killed, over each transport
	members           = 3
)

// member is one of three processes that write under a lock until one is killed. It says how its rank ended.
func member(process int) error {
	c, err := netiotest.Join(process, members)
	if err != nil {
		return err
	}
	tr, err := connect.Dial(context.Background(), c, os.Getenv(transportVariable))
	if err != nil {
		return err
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: members, Transport: tr}, writeForever)
	fmt.Println("ended", strings.ReplaceAll(fmt.Sprint(err), "\n", "; "))
	return nil
}

// writeForever writes to pages of all homes under a lock. The lock's and the pages' home is rank 0; rank 1 holds the
// lock most of the time, and rank 2 waits for it.
func writeForever(r *pebble.Rank) error {
	s := pages.New(memory.New(r), pages.Config{Copies: true})
	v := pages.NewSlice[uint64](s, "table", distribution.BlockCyclic(1<<16, members, 1<<16))
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
			fmt.Println("flows")
		}
	}
}

// A home, a holder or a waiter that is killed ends the others' ranks, with an error that names it.
func TestKilled(t *testing.T) {
	kills := 2
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for _, by := range []string{connect.ByShm, connect.ByTCP} {
		for victim, who := range []string{"home", "holder", "waiter"} {
			t.Run(by+" "+who, func(t *testing.T) {
				var took []time.Duration
				for range kills {
					all := make([]*netiotest.Member, members)
					for i := range all {
						all[i] = netiotest.Start(t, memberVariable+"="+strconv.Itoa(i), transportVariable+"="+by)
					}
					took = append(took, netiotest.KillOne(t, all, victim)...)
				}
				slices.Sort(took)
				half, last := took[len(took)/2], took[len(took)-1]
				t.Logf("%d were killed; ranks ended after %v, the last one after %v", kills, half, last)
			})
		}
	}
}
