package target_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// A freed object leaves nothing behind, after any use.
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
			appstest.FreedEverywhere(t, func(r *pebble.Rank) func() error {
				return once(r, distribution.Ranks(r.Size()))
			})
		})
	}
}

// Calls of freed objects, and frees in the wrong place, end the job with a fitting error.
func TestFreedIsTold(t *testing.T) {
	type (
		hit       = *target.Target[uint64]
		directory = *target.Directory[uint64]
	)
	body := func(r *pebble.Rank, f func()) error { return r.Epoch(func() error { f(); return nil }) }
	for want, use := range map[string]func(r *pebble.Rank, h hit, d directory) error{
		`a pebble was sent after target "hit" was freed: free what nothing uses any more`: func(r *pebble.Rank, h hit,
			_ directory) error {
			h.Free()
			return body(r, func() { h.Send(0) })
		},
		`was sent after target "hit" was freed`: func(r *pebble.Rank, h hit, _ directory) error {
			h.Free()
			return body(r, func() { h.TrySend(0) })
		},
		` after target "hit" was freed`: func(r *pebble.Rank, h hit, _ directory) error {
			h.Free()
			return body(r, func() { h.SendAll(make([]uint64, 1000)) })
		},
		`Flush was called after target "hit" was freed`: func(r *pebble.Rank, h hit, _ directory) error {
			h.Free()
			return body(r, h.Flush)
		},
		`Free was called after target "hit" was freed`: func(_ *pebble.Rank, h hit, _ directory) error {
			h.Free()
			h.Free()
			return nil
		},
		`target "hit" was freed inside an epoch: free between epochs`: func(r *pebble.Rank, h hit, _ directory) error {
			return body(r, h.Free)
		},
		`and target "hit" is over it: free that first`: func(_ *pebble.Rank, _ hit, d directory) error {
			d.Free()
			return nil
		},
		`Move was called after target "directory moves" was freed`: func(r *pebble.Rank, h hit, d directory) error {
			h.Free()
			d.Free()
			return body(r, func() { d.Move(uint64(r.ID()), 0) })
		},
		`its directory was freed: make another one`: func(r *pebble.Rank, h hit, d directory) error {
			h.Free()
			d.Free()
			target.New(r, "late", d, target.LowBits[uint64](1), target.Each(func(uint64) {}))
			return nil
		},
	} {
		require.ErrorContains(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
			d := target.NewDirectory(r, "directory", distribution.Ranks(r.Size()), func(key uint64) uint64 { return key },
				func(uint64, uint64) {})
			h := target.New(r, "hit", d, target.LowBits[uint64](1), target.Each(func(uint64) {}))
			appstest.OK(r.Epoch(func() error { return nil }))
			return use(r, h, d)
		}), want)
	}
}

// A deferred Free does not hide the error of the job, nor a panic.
func TestFreeMayBeDeferred(t *testing.T) {
	for _, fails := range []func() error{
		func() error { panic("as it should") }, func() error { return errors.New("as it should") },
	} {
		require.ErrorContains(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
			h := target.New(r, "hit", distribution.Ranks(2), target.LowBits[uint64](1), target.Each(func(uint64) {}))
			defer h.Free()
			return r.Epoch(fails)
		}), "as it should")
	}
}
