package container_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
		appstest.Epoch(r, func() { d.Union(1, 2) })
		return d.Compress()
	},
	"table that spills": func(r *pebble.Rank, _ *task.Scheduler) error {
		numbered(r, 300, container.Budget{Memory: 1 << 10}).Free()
		return nil
	},
	"tables that are sorted, grouped and joined": func(r *pebble.Rank, _ *task.Scheduler) error {
		t := numbered(r, 100, container.Budget{Memory: 64 << 10})
		defer t.Free()
		appstest.OK(container.SortStableFunc(t, func(a, b uint64) int { return int(b) - int(a) }))
		key := func(row uint64) uint64 { return row % 7 }
		groups := appstest.Must(container.GroupBy(t, key, key, pebble.Sum))
		defer groups.Free()
		rows := appstest.Must(container.Distinct(t))
		defer rows.Free()
		return container.Join(t, rows, key, key, container.Semi, func(uint64, *uint64) {})
	},
}

// Free leaves nothing behind.
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

// Parts of a map can be freed separately, too.
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

// Calls of freed objects, and frees in the wrong place, end the job with a message.
func TestFreedIsTold(t *testing.T) {
	type numbers = *container.Map[uint64, uint64]
	after := func(use func(m numbers) error) func(r *pebble.Rank, m numbers) error {
		return func(r *pebble.Rank, m numbers) error {
			m.Free()
			return use(m)
		}
	}
	for want, use := range map[string]func(r *pebble.Rank, m numbers) error{
		`a pebble was sent after target "map put" was freed`: func(r *pebble.Rank, m numbers) error {
			m.Free()
			return r.Epoch(func() error { m.Put(1, 1); return nil })
		},
		`a key was looked for after container "map" was freed`: after(func(m numbers) error { m.LocalGet(1); return nil }),
		`an iteration was begun after container "map" was freed`: after(func(m numbers) error {
			for range m.Filter(func(uint64, uint64) bool { return true }).LocalAll() {
			}
			return nil
		}),
		`an all-reduction was begun after container "map" was freed`: after(func(m numbers) error {
			_, err := m.Len()
			return err
		}),
		`Epoch was called after container "map" was freed`: after(func(m numbers) error {
			return m.ForAll(func(uint64, uint64) error { return nil })
		}),
		`a barrier was begun after container "map" was freed`: after(numbers.Clear),
		`Free was called after container "map" was freed`:     after(func(m numbers) error { m.Free(); return nil }),
		`was registered after container "map" was freed`: after(func(m numbers) error {
			m.NewReducer("add", pebble.Sum)
			return nil
		}),
		`container "map" was freed inside an epoch: free`: func(r *pebble.Rank, m numbers) error {
			return r.Epoch(func() error { m.Free(); return nil })
		},
		`Free was called after target "map add" was freed`: func(_ *pebble.Rank, m numbers) error {
			add := m.NewReducer("add", pebble.Sum)
			m.Free()
			add.Free()
			return nil
		},
		`an iteration was begun after container "sets" was freed`: func(r *pebble.Rank, _ numbers) error {
			d := container.NewDisjointSets[uint64](r, "sets", nil)
			d.Free()
			for range d.LocalAll() {
			}
			return nil
		},
		`Add was called after container "bag" was freed`: func(r *pebble.Rank, _ numbers) error {
			b := container.NewBag[uint64](r, "bag")
			b.Add(1)
			b.Free()
			b.Add(1)
			return nil
		},
		`a row was looked for or added after container "table" was freed`: func(r *pebble.Rank, _ numbers) error {
			t := container.NewTable[uint64](r, "table", container.Budget{})
			t.Add(1)
			t.Free()
			t.Add(1)
			return nil
		},
		`Call after delegate "map get" was freed`: func(r *pebble.Rank, m numbers) error {
			reads := container.NewReads(m, task.New(r))
			m.Free()
			return r.Epoch(func() error { reads.Get(1); return nil })
		},
	} {
		require.ErrorContains(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
			return use(r, container.NewMap[uint64, uint64](r, "map"))
		}), want)
	}
}

// Operations hold no memory when they have returned: a sequence of them fits within a small limit.
func TestGroupsOneAfterTheOther(t *testing.T) {
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2, MemoryLimit: 2 << 20}, func(r *pebble.Rank) error {
		t := numbered(r, 100, container.Budget{})
		key := func(row uint64) uint64 { return row % 10 }
		for range 600 {
			appstest.Must(container.GroupBy(t, key, func(uint64) uint64 { return 1 }, pebble.Sum)).Free()
		}
		return nil
	}))
}
