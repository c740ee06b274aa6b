package pebble_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// elsewhere calls f on another goroutine and waits for its end, of any kind.
func elsewhere(f func()) {
	var other sync.WaitGroup
	other.Go(f)
	other.Wait()
}

// whoToldOf checks the error of a job whose rank was used by two goroutines.
func whoToldOf(t *testing.T, err error, call string) {
	t.Helper()
	var told *pebble.PanicError
	require.ErrorAs(t, err, &told)
	require.ErrorContains(t, err, "rank 0")
	require.ErrorContains(t, err, call)
	require.ErrorContains(t, err, "goroutine")
	require.NotEmpty(t, told.Stack)
}

// crossings are calls that overlap another call of the same rank: a function that the runtime calls lets another
// goroutine run, and waits for it. Happens-before holds, so the race detector reports nothing; the rank does. on makes
// a call on rank 0.
var crossings = map[string]func(r *pebble.Rank, on func(f func())) error{
	"a pebble was sent": func(r *pebble.Rank, on func(f func())) error {
		return keying(r, func(at *target.Target[uint64]) { on(func() { at.Send(0) }) })
	},
	"a pebble was sent, all at once": func(r *pebble.Rank, on func(f func())) error {
		return keying(r, func(at *target.Target[uint64]) { on(func() { at.SendAll([]uint64{0}) }) })
	},
	"Poll was called": func(r *pebble.Rank, on func(f func())) error {
		return keying(r, func(*target.Target[uint64]) { on(r.Poll) })
	},
	"a pebble was sent in a handler": func(r *pebble.Rank, on func(f func())) error {
		var at *target.Target[uint64]
		at = keyed(r, func(v uint64) {
			if v == 2 {
				on(func() { at.Send(0) })
			}
		}, func(v uint64) {
			if v < 2 {
				at.SendAll([]uint64{2 + uint64(r.ID())})
			}
		})
		return epoch(r, func() { at.SendAll([]uint64{uint64(r.ID())}) })
	},
	"Flush was called": func(r *pebble.Rank, on func(f func())) error {
		var at *target.Target[string]
		at = target.New(r, "at", distribution.Ranks(2), target.Key(func(string) uint64 { on(at.Flush); return 0 }),
			target.Each(func(string) {}), target.Coded[string](words{}))
		return epoch(r, func() { at.Send("one") })
	},
	"a barrier was begun":          merging(func(r *pebble.Rank) { _ = r.Barrier() }),
	"Epoch was called":             merging(func(r *pebble.Rank) { _ = idle(r) }),
	`target "late" was registered`: merging(func(r *pebble.Rank) { byRank(r, "late", ignore) }),
	"MarkLink was called":          merging(func(r *pebble.Rank) { r.MarkLink(0, 1, true) }),
}

// keying calls do in the key function of a pebble that is sent.
func keying(r *pebble.Rank, do func(at *target.Target[uint64])) error {
	var at *target.Target[uint64]
	at = keyed(r, func(uint64) { do(at) }, ignore)
	return epoch(r, func() { at.SendAll([]uint64{0}) })
}

// keyed registers a target whose key function also calls key.
func keyed(r *pebble.Rank, key func(v uint64), handle func(v uint64)) *target.Target[uint64] {
	return target.New(r, "at", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 {
		key(v)
		return v % 2
	}), target.Each(handle), target.Coalesce(1))
}

// merging calls do in the merge of an all-reduction.
func merging(do func(r *pebble.Rank)) func(r *pebble.Rank, on func(f func())) error {
	return func(r *pebble.Rank, on func(f func())) error {
		return errorOf(pebble.AllReduce(r, 1, func(a, b int) int {
			on(func() { do(r) })
			return a + b
		}))
	}
}

// words is a codec.
type words struct{}

func (words) Append(dst []byte, v string) ([]byte, error) { return append(dst, v...), nil }
func (words) Decode(src []byte) (string, error)           { return string(src), nil }

func TestCallsOfARankThatCrossAreTold(t *testing.T) {
	for call, f := range crossings {
		t.Run(call, func(t *testing.T) {
			whoToldOf(t, run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
				return f(r, func(f func()) {
					if r.ID() == 0 {
						elsewhere(f)
					}
				})
			}), call[:min(len(call), len("a pebble was sent"))])
		})
	}
}

// Two goroutines send for one rank at the same time: the job ends with an error, on either of them.
func TestTwoGoroutinesThatSendAreTold(t *testing.T) {
	for range 20 {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			at := byRank(r, "at", ignore)
			return epoch(r, func() {
				if r.ID() != 0 {
					return
				}
				send := func() {
					for {
						at.Send(1)
					}
				}
				go send()
				send()
			})
		})
		whoToldOf(t, err, "a pebble was sent")
	}
}

// A rank and its targets are valid for one call of its function.
func TestARankIsOfNoUseAfterItsJob(t *testing.T) {
	var kept *pebble.Rank
	var at *target.Target[uint64]
	job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		hit := byRank(r, "hit", ignore)
		if r.ID() == 0 {
			kept, at = r, hit
		}
		return idle(r)
	})
	calls := map[string]func(){
		"Epoch was called":            func() { _ = kept.Epoch(func() error { return nil }) },
		"a barrier was begun":         func() { _ = kept.Barrier() },
		"an all-reduction was begun":  func() { _, _ = pebble.AllReduce(kept, 1, func(a, b int) int { return a + b }) },
		`target "new" was registered`: func() { byRank(kept, "new", ignore) },
		"Poll was called":             func() { kept.Poll() },
		"MarkRank was called":         func() { kept.MarkRank(1, true) },
		"a pebble was sent":           func() { at.Send(0) },
		"a pebble was sent ":          func() { at.SendAll([]uint64{0}) },
		"Flush was called":            func() { at.Flush() },
	}
	for call, f := range calls {
		require.PanicsWithValue(t, "pebble: rank 0: "+strings.TrimSpace(call)+" after the rank's function has "+
			"returned: a rank and its targets are good for one call of that function", f)
	}
	// A target of that job is used in another one.
	err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		return epoch(r, func() { at.Send(0) })
	})
	require.ErrorContains(t, err, "a pebble was sent after the rank's function has returned")
}

// A rank of an inner job uses the target of another job's rank: both jobs fail.
func TestATargetOfAnotherJobIsTold(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		return keying(r, func(at *target.Target[uint64]) {
			if r.ID() != 0 {
				return
			}
			inner := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
				return epoch(r, func() { at.Send(0) })
			})
			whoToldOf(t, inner, "a pebble was sent")
		})
	})
	whoToldOf(t, err, "a pebble was sent")
}

// A stray goroutine ends when its call finds that the job has failed: nothing would recover a panic there.
func TestAStrayGoroutineEndsWithTheJob(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		at := target.New(r, "at", distribution.Ranks(1), target.Key(func(v uint64) uint64 { return v }),
			target.Each(ignore))
		return epoch(r, func() { elsewhere(func() { at.SendAll([]uint64{5}) }) })
	})
	var key *pebble.KeyError
	if !engine.Checked {
		require.ErrorAs(t, err, &key)
	} else {
		whoToldOf(t, err, "a pebble was sent from another goroutine")
	}
}

// Goroutines may work for a rank, and run their own jobs.
func TestGoroutinesThatKeepOutAreNotTold(t *testing.T) {
	job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		got := 0
		at := byRank(r, "at", func(uint64) { got++ })
		values := make(chan uint64)
		go func() {
			defer close(values)
			for range 1000 {
				values <- uint64(1 - r.ID())
				runtime.Gosched()
			}
		}()
		var deep func(n int) // another part of the stack, and a stack that grows
		deep = func(n int) {
			var room [256]byte
			room[n%256] = 1
			if n > 0 {
				deep(n - 1)
			} else {
				at.Send(uint64(r.ID()))
			}
			runtime.KeepAlive(&room)
		}
		err := epoch(r, func() {
			i := 0
			for v := range values {
				at.Send(v)
				deep(i % 100)
				i++
			}
		})
		if err == nil && got != 2000 {
			err = errors.New("pebbles were lost")
		}
		return err
	})
}
