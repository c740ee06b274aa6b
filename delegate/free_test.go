package delegate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Freed operations leave nothing behind.
func TestFreeLeavesNothing(t *testing.T) {
	appstest.Freed(t, func(r *pebble.Rank) func() error {
		s := task.New(r)
		return func() error {
			d := delegate.New(s, "operation", distribution.Ranks(r.Size()), func(q uint64) uint64 { return q },
				func(q uint64) uint64 { return q })
			defer d.Free()
			return s.Run(func() { d.CallAll([]uint64{0, 1, 2}, make([]uint64, 3)) })
		}
	})
}

// Calls of a freed operation end the job with a message.
func TestFreedIsTold(t *testing.T) {
	type operation = *delegate.Delegate[uint64, uint64]
	for want, use := range map[string]func(d operation){
		`Call after delegate "operation" was freed`:    func(d operation) { d.Call(0) },
		`CallAll after delegate "operation" was freed`: func(d operation) { d.CallAll([]uint64{0}, make([]uint64, 1)) },
		`Start after delegate "operation" was freed`:   func(d operation) { d.Start(0) },
		` "operation" was freed`:                       func(d operation) { d.Do(0) },
	} {
		require.ErrorContains(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
			d := delegate.New(task.New(r), "operation", distribution.Ranks(2), func(q uint64) uint64 { return q },
				func(q uint64) uint64 { return q })
			d.Free()
			return r.Epoch(func() error { use(d); return nil })
		}), want)
	}
}
