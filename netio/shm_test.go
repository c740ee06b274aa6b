package netio_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

func TestShmConforms(t *testing.T) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		var all []netio.Transport
		for _, tr := range dialShm(t, configs(t, ranks, processes)) {
			all = append(all, tr)
		}
		return all
	})
}

// dialShm starts all processes of a job, which share memory although they are one.
func dialShm(t testing.TB, cs []netio.TCPConfig) []*netio.Shm {
	all, errs := tryShm(t.Context(), cs, netio.ByShm)
	var shms []*netio.Shm
	for i, err := range errs {
		require.NoError(t, err)
		shms = append(shms, all[i].(*netio.Shm))
	}
	return shms
}

func tryShm(ctx context.Context, cs []netio.TCPConfig, name string) ([]netio.Transport, []error) {
	all, errs := make([]netio.Transport, len(cs)), make([]error, len(cs))
	var running sync.WaitGroup
	for i, c := range cs {
		running.Go(func() { all[i], errs[i] = netio.Dial(ctx, c, name) })
	}
	running.Wait()
	return all, errs
}
