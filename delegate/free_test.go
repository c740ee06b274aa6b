package delegate_test

import (
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Operations that are freed leave nothing behind.
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
