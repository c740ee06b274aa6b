package target_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/tune"
)

// script is a tuner that cycles through settings, one per window.
type script struct {
	settings []tune.Setting
	at       int
}

func (s *script) Next() tune.Setting  { return s.settings[s.at%len(s.settings)] }
func (s *script) Observe(tune.Window) { s.at++ }

// through makes a job cycle through settings.
func through(window time.Duration, settings ...tune.Setting) *pebble.Tuning {
	return &pebble.Tuning{
		Topology: true, Coalesce: true, Cache: true, Window: window,
		New: func(s tune.Site) (pebble.Tuner, error) { return &script{settings: settings}, nil },
	}
}

var scripted = []tune.Setting{
	{Topology: "direct", Coalesce: 1024},
	{Topology: "hypercube", Coalesce: 7, Cache: 4},
	{Topology: "mesh:2", Coalesce: 1, Cache: 300},
	{Topology: "direct", Coalesce: 64, Cache: 300},
	{Topology: "ring", Coalesce: 3},
	{Topology: "hypercube", Coalesce: 1024},
}

// Settings change with every epoch, over every transport, for plain, coded and merged pebbles and for a target that
// leaves nothing open, and each sum is that of a serial program. One target is registered later.
func TestSettingsChangeBetweenEpochs(t *testing.T) {
	const keys, epochs, each = 64, 14, 150
	merged := target.Reduce(reduce.Combine(func(a, b item) item { a.Sum += b.Sum; return a }))
	key := target.Key(func(v item) uint64 { return v.Key })
	for _, s := range []appstest.Shape{
		{Ranks: 8, Procs: 1, Transport: "mem"},
		{Ranks: 5, Procs: 2, Transport: "tcp", Credits: 1},
		{Ranks: 6, Procs: 3, Transport: "shm", Budget: 4000},
	} {
		t.Run(s.String(), func(t *testing.T) {
			s.New, s.Tuning = route.Direct, through(time.Nanosecond, scripted...)
			drawn := func(rank, turn int) (all []item) {
				rng := rand.New(rand.NewPCG(uint64(rank), uint64(turn)))
				for range each {
					v := rng.Uint64()
					all = append(all, item{v % keys, v})
				}
				return all
			}
			var want, wantLate [keys]uint64
			for i := range s.Ranks * epochs {
				for _, v := range drawn(i/epochs, i%epochs) {
					want[v.Key] += v.Sum
					if i%epochs >= epochs/2 {
						wantLate[v.Key] += v.Sum
					}
				}
			}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				cyclic, block := distribution.Cyclic(keys, r.Size()), distribution.Block(keys, r.Size())
				var all []*target.Target[item]
				var checks []func() error
				open := func(name string, where distribution.Map, keying target.Keying[item], want *[keys]uint64,
					options ...target.Option) {
					var got [keys]uint64
					all = append(all, target.New(r, name, where, keying,
						target.Each(func(v item) { got[v.Key] += v.Sum }), options...))
					checks = append(checks, func() error {
						for k := range uint64(keys) {
							if where.Owner(k) == r.ID() && got[k] != want[k] {
								return fmt.Errorf("%s: key %d has %d, not %d", name, k, got[k], want[k])
							}
						}
						return nil
					})
				}
				open("plain", cyclic, key, &want)
				open("merged", cyclic, key, &want, merged)
				open("coded", cyclic, key, &want, target.Coded(itemCodec{}))
				open("bits", block, target.LowBits[item](6), &want, merged)
				open("closed", cyclic, key, &want, target.Coalesce(5), target.Route(route.Hypercube))
				for turn := range epochs {
					if turn == epochs/2 {
						open("late", cyclic, key, &wantLate)
					}
					appstest.Epoch(r, func() {
						for _, v := range drawn(r.ID(), turn) {
							for _, to := range all {
								to.Send(v)
							}
						}
					})
				}
				for _, check := range checks {
					appstest.OK(check())
				}
				return nil
			}))
		})
	}
}

type item struct{ Key, Sum uint64 }

type itemCodec struct{}

func (itemCodec) Append(dst []byte, v item) ([]byte, error) {
	return fmt.Appendf(dst, "%d %d", v.Key, v.Sum), nil
}

func (itemCodec) Decode(src []byte) (v item, err error) {
	_, err = fmt.Sscanf(string(src), "%d %d", &v.Key, &v.Sum)
	return v, err
}

// The number of frames shows that a factor is in force: the second window has one pebble per frame, except for a target
// with its own factor.
func TestFactorIsObeyed(t *testing.T) {
	for _, options := range [][]target.Option{nil, {target.Coalesce(100)}} {
		tuning := through(time.Nanosecond, tune.Setting{Topology: "direct", Coalesce: 100},
			tune.Setting{Topology: "direct", Coalesce: 1})
		var frames [2][2]uint64 // by epoch and rank
		job(t, pebble.Config{Ranks: 2, Due: -1, Tuning: tuning}, func(r *pebble.Rank) error {
			to := numbers(r, "to", distribution.Cyclic(2, 2), ignore, options...)
			for turn := range frames {
				before := r.Counters().FramesSent
				other := slices.Repeat([]uint64{uint64(1 - r.ID())}, 1000)
				appstest.Epoch(r, func() { to.SendAll(other) })
				frames[turn][r.ID()] = r.Counters().FramesSent - before
			}
			return nil
		})
		for rank := range 2 {
			require.LessOrEqual(t, frames[0][rank], uint64(14), "frames grow to the factor")
			if options == nil {
				require.EqualValues(t, 1000, frames[1][rank])
			} else {
				require.LessOrEqual(t, frames[1][rank], uint64(14))
			}
		}
	}
}

func TestTuningFailsInWords(t *testing.T) {
	refused := func(tune.Site) (pebble.Tuner, error) { return nil, errors.New("no tuner today") }
	once := target.Reduce(reduce.Duplicates[uint64]())
	for want, c := range map[string]struct {
		tuning  *pebble.Tuning
		options []target.Option
	}{
		"tuning: no tuner today":     {&pebble.Tuning{Coalesce: true, New: refused}, nil},
		`unknown topology "nowhere"`: {through(0, tune.Setting{Topology: "nowhere", Coalesce: 1}), nil},
		"a coalescing factor of 0":   {through(0, tune.Setting{Topology: "direct"}), nil},
		"larger than the memory limit": {through(0, tune.Setting{Topology: "direct", Coalesce: 1, Cache: 1 << 28}),
			[]target.Option{once}},
	} {
		config := pebble.Config{Ranks: 2, MemoryLimit: 1 << 20, Tuning: c.tuning}
		require.ErrorContains(t, run(t, config, func(r *pebble.Rank) error {
			numbers(r, "to", distribution.Cyclic(2, 2), ignore, c.options...)
			return epoch(r, func() {})
		}), want)
	}
}

// Only rank 0 has the choice, and no rank has one if nothing can be tuned.
func TestTuned(t *testing.T) {
	for _, options := range [][]target.Option{nil, {target.Coalesce(7), target.Route(route.Direct)}} {
		c := pebble.Config{Ranks: 2, Tuning: &pebble.Tuning{Topology: true, Coalesce: true}}
		job(t, c, func(r *pebble.Rank) error {
			numbers(r, "to", distribution.Cyclic(2, 2), ignore, options...)
			for range 3 {
				appstest.Epoch(r, func() {})
			}
			tuned, ok := r.Tuned()
			require.Equal(t, r.ID() == 0 && options == nil, ok)
			if ok {
				require.Equal(t, tune.Setting{Topology: "direct", Coalesce: 1024}, tuned.Setting)
				require.Contains(t, tuned.Reason, "nothing else was tried yet")
			}
			return nil
		})
	}
}
