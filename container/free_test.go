package container_test

import (
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// freed are programs that make an object, use it, and free it, by the name of the object.
var freed = map[string]func(r *pebble.Rank, tasks *task.Scheduler) error{
	"map, and all that is made of it": func(r *pebble.Rank, tasks *task.Scheduler) error {
		m := container.NewMap[uint64, uint64](r, "map")
		defer m.Free()
		add := m.NewReducer("add", pebble.Sum[uint64])
		double := container.NewVisitor(m, "double", func(_ uint64, v *uint64, by uint64) { *v *= by })
		ask := container.NewAsker(m, "ask", func(_ uint64, v *uint64, _ bool) bool { return v != nil },
			func(uint64, bool, bool) {})
		reads := container.NewReads(m, tasks)
		return r.Epoch(func() error {
			for k := range uint64(10) {
				m.Put(k, k)
				add.Reduce(k, 1)
				double.Send(k, 2)
				ask.Send(k, true)
				reads.Get(k)
			}
			return nil
		})
	},
	"map of texts": func(r *pebble.Rank, _ *task.Scheduler) error {
		m := container.NewMap[string, string](r, "map")
		defer m.Free()
		return r.Epoch(func() error { m.Put("key", "value"); m.Delete("other"); return nil })
	},
	"multimap": func(r *pebble.Rank, _ *task.Scheduler) error {
		m := container.NewMultiMap[uint64, uint64](r, "multimap")
		defer m.Free()
		return r.Epoch(func() error { m.Add(1, 2); return nil })
	},
	"counter": func(r *pebble.Rank, _ *task.Scheduler) error {
		c := container.NewCounter[uint64](r, "counter")
		defer c.Free()
		return r.Epoch(func() error { c.AddAll([]uint64{1, 2, 3}); return nil })
	},
	"set": func(r *pebble.Rank, _ *task.Scheduler) error {
		s := container.NewSet[uint64](r, "set")
		defer s.Free()
		return r.Epoch(func() error { s.Insert(1); return nil })
	},
	"bag": func(r *pebble.Rank, _ *task.Scheduler) error {
		b := container.NewBag[uint64](r, "bag")
		defer b.Free()
		for range 10 * r.ID() {
			b.Add(1)
		}
		return b.Balance()
	},
	"disjoint sets": func(r *pebble.Rank, _ *task.Scheduler) error {
		d := container.NewDisjointSets[uint64](r, "sets", nil)
		defer d.Free()
		if err := r.Epoch(func() error { d.Union(1, 2); return nil }); err != nil {
			return err
		}
		return d.Compress()
	},
	"table that spills": func(r *pebble.Rank, _ *task.Scheduler) error {
		t := container.NewTable[uint64](r, "table", container.Space{Memory: 1 << 10})
		defer t.Free()
		for i := range uint64(300) {
			t.Add(i)
		}
		return nil
	},
	"tables that are sorted, grouped and joined": func(r *pebble.Rank, _ *task.Scheduler) error {
		t := container.NewTable[uint64](r, "table", container.Space{Memory: 64 << 10})
		defer t.Free()
		for i := range uint64(100) {
			t.Add(i)
		}
		if err := container.SortStableFunc(t, func(a, b uint64) int { return int(b) - int(a) }); err != nil {
			return err
		}
		key := func(row uint64) uint64 { return row % 7 }
		groups, err := container.GroupBy(t, key, key, pebble.Sum)
		if err != nil {
			return err
		}
		defer groups.Free()
		rows, err := container.Distinct(t)
		if err != nil {
			return err
		}
		defer rows.Free()
		return container.Join(t, rows, key, key, container.Semi, func(uint64, *uint64) {})
	},
}

// What is freed leaves nothing behind.
func TestFreeLeavesNothing(t *testing.T) {
	for name, once := range freed {
		t.Run(name, func(t *testing.T) {
			appstest.Freed(t, func(r *pebble.Rank) func() error {
				tasks := task.New(r)
				return func() error { return once(r, tasks) }
			})
		})
	}
}

// What is made of a map is freed by itself, too.
func TestFreeOfParts(t *testing.T) {
	appstest.Freed(t, func(r *pebble.Rank) func() error {
		m, tasks := container.NewMap[uint64, uint64](r, "map"), task.New(r)
		return func() error {
			add := m.NewReducer("add", pebble.Sum[uint64])
			double := container.NewVisitor(m, "double", func(_ uint64, v *uint64, by uint64) { *v *= by })
			ask := container.NewAsker(m, "ask", func(_ uint64, v *uint64, _ bool) bool { return v != nil },
				func(uint64, bool, bool) {})
			reads := container.NewReads(m, tasks)
			defer add.Free()
			defer double.Free()
			defer ask.Free()
			defer reads.Free()
			return r.Epoch(func() error { add.Reduce(1, 1); double.Send(1, 2); ask.Send(1, true); reads.Get(1); return nil })
		}
	})
}
