package memory_test

import (
	"context"
	"errors"
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
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/pebble"
)

const (
	memberVariable    = "MEMORY_TEST_MEMBER"           // the number of a process that a test has started
	transportVariable = "MEMORY_TEST_MEMBER_TRANSPORT" // its transport
	killsVariable     = "PEBBLES_KILLS"                // how often an owner is killed, over each transport
	members           = 3
)

// member is one of three processes that gather from each other until one is killed. It says how its rank ended.
func member(process int) error {
	c, err := netiotest.Join(process, members)
	if err != nil {
		return err
	}
	tr, err := connect.Dial(context.Background(), c, os.Getenv(transportVariable))
	if err != nil {
		return err
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: members, Transport: tr}, gatherForever)
	fmt.Println("ended", strings.ReplaceAll(fmt.Sprint(err), "\n", "; "))
	return nil
}

// gatherForever gathers random words of all ranks.
func gatherForever(r *pebble.Rank) error {
	const part, batch = 1 << 14, 1024
	a := memory.NewArray[uint64](memory.New(r), "table", distribution.Block(members*part, members))
	for i := range a.Local() {
		a.Local()[i] = uint64(r.ID()*part + i)
	}
	if err := r.Barrier(); err != nil {
		return err
	}
	return r.Epoch(func() error {
		all, got := make([]uint64, batch), make([]uint64, batch)
		for x, n := uint64(r.ID()), 0; ; n++ {
			for i := range all {
				x = x*multiplier + 1
				all[i] = x >> 32 % (members * part)
			}
			a.Gather(got, all)
			if !slices.Equal(all, got) {
				return errors.New("other words were read")
			}
			if n == 50 {
				fmt.Println("flows")
			}
		}
	})
}

// An owner that is killed while others gather from it ends their ranks, with an error that names it.
func TestKilledOwner(t *testing.T) {
	kills := 2
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for _, by := range []string{connect.ByShm, connect.ByTCP} {
		t.Run(by, func(t *testing.T) {
			var took []time.Duration
			for i := range kills {
				took = append(took, killOwner(t, by, i%members)...)
			}
			require.Len(t, took, kills*(members-1))
			slices.Sort(took)
			t.Logf("%d owners were killed; ranks ended after %v, the last one after %v", kills, took[len(took)/2], took[len(took)-1])
		})
	}
}

// killOwner kills one of the processes of a job, and returns when the others ended after that.
func killOwner(t *testing.T, by string, victim int) []time.Duration {
	all := make([]*netiotest.Member, members)
	for i := range all {
		all[i] = netiotest.Start(t, memberVariable+"="+strconv.Itoa(i), transportVariable+"="+by)
	}
	return netiotest.KillOne(t, all, victim)
}
