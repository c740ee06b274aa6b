package task_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Freed kinds leave nothing behind.
func TestFreeLeavesNothing(t *testing.T) {
	appstest.Freed(t, func(r *pebble.Rank) func() error {
		s := task.New(r)
		task.NewGroupKind(s, "first", func(*task.Group, uint32) {}) // with the scheduler's shared parts
		return func() error {
			kind := task.NewKind(s, "kind", func(uint32) {})
			defer kind.Free()
			group := task.NewGroupKind(s, "group kind", func(*task.Group, uint32) {})
			defer group.Free()
			loop := task.NewLoop(s, "loop", 2, func(uint64, uint64) {})
			defer loop.Free()
			return s.Run(func() {
				kind.SpawnOn((r.ID()+1)%r.Size(), 1)
				group.Spawn(s.NewGroup(), 1)
				loop.Spawn(0, 8)
			})
		}
	})
}

// Calls of a freed kind end the job with a message.
func TestFreedIsTold(t *testing.T) {
	for want, use := range map[string]func(k *task.Kind[uint32]){
		`Spawn was called after kind "kind" was freed`:   func(k *task.Kind[uint32]) { k.Spawn(1) },
		`SpawnOn was called after kind "kind" was freed`: func(k *task.Kind[uint32]) { k.SpawnOn(0, 1) },
	} {
		require.ErrorContains(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
			s := task.New(r)
			k := task.NewKind(s, "kind", func(uint32) {})
			k.Free()
			return r.Epoch(func() error { use(k); return nil })
		}), want)
	}
}
