//go:build race || pebbles_check

package pebble_test

import (
	"testing"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Every call from another goroutine is reported, even one that overlaps no other.
func TestEveryCallFromElsewhereIsTold(t *testing.T) {
	for call, f := range map[string]func(r *pebble.Rank){
		"a barrier was begun":          func(r *pebble.Rank) { _ = r.Barrier() },
		"Epoch was called":             func(r *pebble.Rank) { _ = idle(r) },
		`target "late" was registered`: func(r *pebble.Rank) { byRank(r, "late", ignore) },
		"MarkLink was called":          func(r *pebble.Rank) { r.MarkLink(0, 0, true) },
		"Counters was called":          func(r *pebble.Rank) { r.Counters() },
		"Memory was called":            func(r *pebble.Rank) { r.Memory() },
		"Now was called":               func(r *pebble.Rank) { r.Now() },
		"Compute was called":           func(r *pebble.Rank) { r.Compute(1) },
		"ExplainNext was called":       func(r *pebble.Rank) { r.ExplainNext() },
		"Termination was called":       func(r *pebble.Rank) { r.Termination() },
	} {
		whoToldOf(t, run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			elsewhere(func() { f(r) })
			return r.Barrier()
		}), call+" from another goroutine")
	}
	inEpoch := map[string]func(r *pebble.Rank, at *target.Target[uint64]){
		"a pebble was sent":  func(_ *pebble.Rank, at *target.Target[uint64]) { at.Send(0) },
		"a pebble was sent ": func(_ *pebble.Rank, at *target.Target[uint64]) { at.SendAll([]uint64{0}) },
		"Flush was called":   func(_ *pebble.Rank, at *target.Target[uint64]) { at.Flush() },
		"Poll was called":    func(r *pebble.Rank, _ *target.Target[uint64]) { r.Poll() },
	}
	for _, handling := range []bool{false, true} {
		for call, f := range inEpoch {
			whoToldOf(t, run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
				var at *target.Target[uint64]
				at = byRank(r, "at", func(v uint64) { elsewhere(func() { f(r, at) }) })
				return epoch(r, func() {
					if handling {
						at.SendAll([]uint64{0})
					} else {
						at.Flush() // from here, so that this goroutine's stack is recorded
						elsewhere(func() { f(r, at) })
					}
				})
			}), call[:len("Poll was called")])
		}
	}
}
