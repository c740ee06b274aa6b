package target_test

import (
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// What is freed leaves nothing behind, whatever it was used for.
func TestFreeLeavesNothing(t *testing.T) {
	byRank := func(r *pebble.Rank) target.Keying[uint64] {
		return target.Key(func(v uint64) uint64 { return v % uint64(r.Size()) })
	}
	for name, once := range map[string]func(r *pebble.Rank, owner distribution.Map) func() error{
		"target": func(r *pebble.Rank, owner distribution.Map) func() error {
			return func() error {
				hit := target.New(r, "hit", owner, byRank(r), target.Each(func(uint64) {}),
					target.Reduce(reduce.Duplicates[uint64]()), target.Cache(1<<10), target.Route(route.Ring))
				defer hit.Free()
				return r.Epoch(func() error {
					for v := range uint64(100) {
						hit.Send(v)
					}
					return nil
				})
			}
		},
		"coded target": func(r *pebble.Rank, owner distribution.Map) func() error {
			return func() error {
				hit := target.New(r, "hit", owner, target.Key(func(s string) uint64 { return uint64(len(s)) }),
					target.Each(func(string) {}), target.Coded[string](pebble.Strings{}))
				defer hit.Free()
				return r.Epoch(func() error { hit.Send("a"); hit.Send("bc"); return nil })
			}
		},
		"ask": func(r *pebble.Rank, owner distribution.Map) func() error {
			return func() error {
				ask := target.NewAsk(r, "ask", owner, byRank(r), func(q uint64) uint64 { return q + 1 },
					func(uint64, uint64) {})
				defer ask.Free()
				return r.Epoch(func() error { ask.SendAll([]uint64{0, 1, 2, 3}); return nil })
			}
		},
		"directory": func(r *pebble.Rank, owner distribution.Map) func() error {
			return func() error {
				d := target.NewDirectory(r, "directory", owner, func(key uint64) uint64 { return key }, func(uint64, uint64) {})
				defer d.Free()
				hit := target.New(r, "hit", d, byRank(r), target.Each(func(uint64) {}))
				defer hit.Free()
				return r.Epoch(func() error {
					hit.Send(0)
					if self := uint64(r.ID()); d.Owns(self) {
						d.Move(self, (r.ID()+1)%r.Size())
					}
					return nil
				})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			appstest.Freed(t, func(r *pebble.Rank) func() error { return once(r, distribution.Ranks(r.Size())) })
		})
	}
}
