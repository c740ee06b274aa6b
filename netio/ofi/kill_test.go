//go:build linux && (amd64 || arm64)

package ofi_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

const (
	providerVariable = "PEBBLES_PROVIDER" // libfabric provider under test
	part             = 1 << 12            // words of a rank
	lap              = 1000               // operations or pebbles between two looks
)

func TestMain(m *testing.M) {
	if !appstest.Member(forever) {
		os.Exit(m.Run())
	}
}

// forever puts, gets or sends words to all ranks.
func forever(r *pebble.Rank, does string) error {
	words := uint64(r.Size() * part)
	table := memory.NewArray[uint64](memory.New(r), "table", distribution.Block(words, r.Size()))
	count := target.New(r, "count", distribution.Cyclic(words, r.Size()),
		target.Key(func(n uint64) uint64 { return n }), target.Each(func(uint64) {}))
	if err := r.Barrier(); err != nil {
		return err
	}
	return r.Epoch(func() error {
		indices, some := make([]uint64, lap), make([]uint64, lap)
		for n := 0; ; n++ {
			for i := range indices {
				indices[i] = uint64(i*r.Size()*7+n+i) % words
			}
			switch does {
			case "puts":
				table.Scatter(indices, some)
			case "gets":
				table.Gather(some, indices)
			default:
				count.SendAll(indices)
			}
			if n == 3 {
				appstest.Flows()
			}
		}
	})
}

// TestKilledProcess kills processes while they put, get and send. The others end with an error that names the killed
// process. The job leaves nothing in /dev/shm; a neighbour's file stays.
func TestKilledProcess(t *testing.T) {
	provider, _, _ := strings.Cut(os.Getenv(providerVariable), "@")
	if provider == "" {
		t.Skip("name a provider of libfabric in " + providerVariable + ", such as tcp")
	}
	neighbour := neighbourFile(t)
	for _, does := range []string{"puts", "gets", "frames"} {
		t.Run(does, func(t *testing.T) {
			for _, m := range appstest.Kills(t, 1, "ofi:"+provider, does, 0, 1, 2) {
				left, err := filepath.Glob(fmt.Sprintf("/dev/shm/%d:*", m.Command.Process.Pid))
				require.NoError(t, err)
				require.Empty(t, left)
			}
			require.FileExists(t, neighbour)
		})
	}
}

// neighbourFile makes a file like that of another job's killed process.
func neighbourFile(t *testing.T) string {
	c := exec.Command("true")
	require.NoError(t, c.Run())
	name := filepath.Join("/dev/shm", strconv.Itoa(c.ProcessState.Pid())+":0:neighbour")
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	t.Cleanup(func() { _ = os.Remove(name) })
	return name
}
