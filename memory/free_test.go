package memory_test

import (
	"errors"
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// Free leaves nothing behind.
func TestFreeLeavesNothing(t *testing.T) {
	appstest.FreedEverywhere(t, func(r *pebble.Rank) func() error {
		s := memory.New(r)
		return func() error {
			a := memory.NewArray[uint64](s, "array", distribution.Block(64, r.Size()))
			v := memory.NewScalar[uint64](s, "scalar", 0)
			h := memory.NewHeap[uint64](s, "heap", 4)
			l := memory.NewLock(s, "lock", 1)
			err := r.Epoch(func() error {
				for i := range a.Len() {
					a.Get(i)
				}
				h.New(1)
				l.Lock()
				v.Get()
				l.Unlock()
				return nil
			})
			return errors.Join(err, l.Free(), h.Free(), v.Free(), a.Free())
		}
	})
}
