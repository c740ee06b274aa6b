//go:build linux && (amd64 || arm64)

package ofi_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	"github.com/activepebbles/pebbles/target"
)

const (
	memberVariable   = "OFI_TEST_MEMBER"  // the number of a process that a test has started, what it does, and its transport
	killsVariable    = "PEBBLES_KILLS"    // how often a process is killed while it does each
	providerVariable = "PEBBLES_PROVIDER" // of libfabric that is tested
	members          = 3                  // processes of a job, of one rank each
	part             = 1 << 12            // words of a rank
	lap              = 1000               // operations or pebbles between two looks
)

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(memberVariable); ok {
		if err := member(text); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// member is a process of a job that goes on until it fails. It says how.
func member(text string) error {
	var process int
	var does, transport string
	if _, err := fmt.Sscan(text, &process, &does, &transport); err != nil {
		return err
	}
	c, err := netiotest.Join(process, members)
	if err != nil {
		return err
	}
	tr, err := connect.Dial(context.Background(), c, transport)
	if err == nil {
		err = pebble.Run(context.Background(), pebble.Config{Ranks: members, Transport: tr}, func(r *pebble.Rank) error { return forever(r, does) })
	}
	fmt.Println("ended", strings.ReplaceAll(fmt.Sprint(err), "\n", "; "))
	return nil
}

// forever puts, gets or sends words to all ranks.
func forever(r *pebble.Rank, does string) error {
	table := memory.NewArray[uint64](memory.New(r), "table", distribution.Block(members*part, members))
	count := target.New(r, "count", distribution.Cyclic(members*part, members), target.Key(func(n uint64) uint64 { return n }), target.Each(func(uint64) {}))
	if err := r.Barrier(); err != nil {
		return err
	}
	return r.Epoch(func() error {
		indices, words := make([]uint64, lap), make([]uint64, lap)
		for n := 0; ; n++ {
			for i := range indices {
				indices[i] = uint64(i*r.Size()*7+n+i) % (members * part)
			}
			switch does {
			case "puts":
				table.Scatter(indices, words)
			case "gets":
				table.Gather(words, indices)
			default:
				count.SendAll(indices)
			}
			if n == 3 {
				fmt.Println("flows")
			}
		}
	})
}

// TestKilledProcess kills processes while they put, get and send. The others end with an error that names the one that
// was killed, and nothing of the job's is left in /dev/shm; a neighbour's file is.
func TestKilledProcess(t *testing.T) {
	provider, _, _ := strings.Cut(os.Getenv(providerVariable), "@")
	if provider == "" {
		t.Skip("name a provider of libfabric in " + providerVariable + ", such as tcp")
	}
	kills := 1
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	neighbour := neighbourFile(t)
	for _, does := range []string{"puts", "gets", "frames"} {
		t.Run(does, func(t *testing.T) {
			var took []time.Duration
			for i := range kills {
				took = append(took, kill(t, does, "ofi:"+provider, i%members)...)
			}
			slices.Sort(took)
			t.Logf("%d processes were killed; the others ended after %v in the median, the last one after %v", kills, took[len(took)/2], took[len(took)-1])
			require.FileExists(t, neighbour)
		})
	}
}

// neighbourFile makes a file as another job's killed process would have left it.
func neighbourFile(t *testing.T) string {
	c := exec.Command("true")
	require.NoError(t, c.Run())
	name := filepath.Join("/dev/shm", strconv.Itoa(c.ProcessState.Pid())+":0:neighbour")
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	t.Cleanup(func() { _ = os.Remove(name) })
	return name
}

// kill kills one process of a job, and returns when the others ended after that.
func kill(t *testing.T, does, transport string, victim int) (took []time.Duration) {
	t.Helper()
	all := make([]*netiotest.Member, members)
	for i := range all {
		all[i] = netiotest.Start(t, fmt.Sprintf("%s=%d %s %s", memberVariable, i, does, transport))
	}
	took = netiotest.KillOne(t, all, victim)
	for _, m := range all {
		left, err := filepath.Glob(fmt.Sprintf("/dev/shm/%d:*", m.Command.Process.Pid))
		require.NoError(t, err)
		require.Empty(t, left)
	}
	return took
}
