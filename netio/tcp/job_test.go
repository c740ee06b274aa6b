package tcp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

// A whole job over a hypercube has two connections with each neighbour of a process, and no other, whatever collectives
// it calls and whatever detectors end its epochs. Ranks of a process are a power of two.
func TestJobsOverAHypercube(t *testing.T) {
	for _, shape := range [][2]int{{3, 3}, {8, 8}, {13, 13}, {16, 4}, {24, 6}} {
		ranks, processes := shape[0], shape[1]
		all := dialAll(t, sparing(netiotest.Configs(t, ranks, processes)))
		made, errs := make([]int, ranks), make([]error, processes)
		var running sync.WaitGroup
		for i, tr := range all {
			config := pebble.Config{Transport: tr, Topology: route.Hypercube, Log: slog.New(slog.DiscardHandler)}
			running.Go(func() {
				errs[i] = pebble.Run(context.Background(), config, func(r *pebble.Rank) error {
					if err := errors.Join(everyEpoch(r), everyCollective(r)); err != nil {
						return err
					}
					err := r.Barrier()
					made[r.ID()] = r.Connections()
					return err
				})
			})
		}
		running.Wait()
		require.NoError(t, errors.Join(errs...))
		for rank, n := range made {
			neighbours := tcp.Neighbours(all[0].Place().ProcessOf(rank), processes)
			require.Equal(t, 2*len(neighbours), n, "rank %d of %d in %d processes", rank, ranks, processes)
		}
	}
}

// everyEpoch ends an epoch of a pebble for each rank by every detector.
func everyEpoch(r *pebble.Rank) error {
	keys, handled := distribution.Block(uint64(r.Size()), r.Size()), 0
	all := target.New(r, "all", keys, target.Key(func(key uint64) uint64 { return key }),
		target.Each(func(uint64) { handled++ }))
	for i, name := range termination.Names() {
		detector, err := termination.ByName(name)
		if err != nil {
			return err
		}
		err = r.Epoch(func() error {
			for key := range keys.Len() {
				all.Send(key)
			}
			return nil
		}, pebble.Depth(1), pebble.EndBy(detector))
		if err != nil {
			return err
		}
		if want := (i + 1) * r.Size(); handled != want {
			return fmt.Errorf("%s: %d pebbles were handled, %d sent", name, handled, want)
		}
	}
	return nil
}

// everyCollective calls every collective, and those with a root for each.
func everyCollective(r *pebble.Rank) error {
	one := []int{r.ID()}
	_, reduced := pebble.AllReduce(r, 1, pebble.Sum)
	_, scanned := pebble.Scan(r, 1, pebble.Sum)
	_, gathered := pebble.AllGather(r, 1)
	_, sliced := pebble.AllGatherSlice(r, one)
	all, split := r.Split(0, 0)
	errs := []error{reduced, scanned, gathered, sliced, split}
	for root := range r.Size() {
		_, cast := pebble.Broadcast(r, root, 1)
		_, collected := pebble.GatherSlice(r, root, one)
		errs = append(errs, cast, collected)
	}
	return errors.Join(append(errs, all.Barrier(), all.Free())...)
}
