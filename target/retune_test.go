package target_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
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

// script is a tuner that goes through settings, one a window, over and over.
type script struct {
	settings []tune.Setting
	at       int
}

func (s *script) Next() tune.Setting { return s.settings[s.at%len(s.settings)] }
func (s *script) Saw(tune.Window)    { s.at++ }

// through lets a job go through settings.
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
// leaves nothing open, and each sum is that of a serial program.
func TestSettingsChangeBetweenEpochs(t *testing.T) {
	for _, s := range []appstest.Shape{
		{Ranks: 8, Procs: 1, Transport: "mem"}, {Ranks: 5, Procs: 2, Transport: "tcp", Credits: 1}, {Ranks: 6,
			Procs: 3, Transport: "shm", Budget: 4000},
	} {
		t.Run(s.String(), func(t *testing.T) {
			s.New, s.Tuning = route.Direct, through(time.Nanosecond, scripted...)
			const keys, epochs, each = 64, 14, 150
			var want [keys]uint64
			draw := func(rank, epoch int) *rand.Rand { return rand.New(rand.NewPCG(uint64(rank), uint64(epoch))) }
			for rank := range s.Ranks {
				for epoch := range epochs {
					rng := draw(rank, epoch)
					for range each {
						v := rng.Uint64()
						want[v%keys] += v
					}
				}
			}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				sums := map[string]*[keys]uint64{}
				var all []*target.Target[item]
				open := func(name string, options ...target.Option) {
					sums[name] = &[keys]uint64{}
					all = append(all, target.New(r, name, distribution.Cyclic(keys, r.Size()),
						target.Key(func(v item) uint64 { return v.Key }), target.Each(func(v item) { sums[name][v.Key] += v.Sum }), options...))
				}
				open("plain")
				open("merged", target.Reduce(reduce.Combine(func(a, b item) item { a.Sum += b.Sum; return a })))
				open("coded", target.Coded(itemCodec{}))
				sums["bits"] = &[keys]uint64{}
				all = append(all, target.New(r, "bits", distribution.Block(keys, r.Size()), target.LowBits[item](6),
					target.Each(func(v item) { sums["bits"][v.Key] += v.Sum }), target.Reduce(reduce.Combine(func(a,
						b item) item {
						a.Sum += b.Sum
						return a
					}))))
				open("closed", target.Coalesce(5), target.Route(route.Hypercube))
				for epoch := range epochs {
					if epoch == epochs/2 {
						open("late")
					}
					if err := r.Epoch(func() error {
						rng := draw(r.ID(), epoch)
						for range each {
							v := rng.Uint64()
							for _, to := range all {
								to.Send(item{v % keys, v})
							}
						}
						return nil
					}); err != nil {
						return err
					}
				}
				blocks := distribution.Block(keys, r.Size())
				for name, got := range sums {
					for key := range keys {
						mine := key%r.Size() == r.ID()
						if name == "bits" {
							mine = blocks.Owner(uint64(key)) == r.ID()
						}
						if mine && name != "late" && got[key] != want[key] {
							return fmt.Errorf("%s: key %d has %d, not %d", name, key, got[key], want[key])
						}
					}
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

// Frames tell that a factor is in force: the second window's are of one pebble each, and a target with a factor of its
// own keeps it.
func TestFactorIsObeyed(t *testing.T) {
	for _, option := range [][]target.Option{nil, {target.Coalesce(100)}} {
		tuning := through(time.Nanosecond, tune.Setting{Topology: "direct", Coalesce: 100},
			tune.Setting{Topology: "direct", Coalesce: 1})
		frames := [2][]uint64{}
		require.NoError(t, run(t, pebble.Config{Ranks: 2, Due: -1, Tuning: tuning}, func(r *pebble.Rank) error {
			to := target.New(r, "to", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
				target.Each(func(uint64) {}), option...)
			for range 2 {
				before := r.Counters().FramesSent
				if err := r.Epoch(func() error {
					to.SendAll(repeated(uint64(1-r.ID()), 1000))
					return nil
				}); err != nil {
					return err
				}
				frames[r.ID()] = append(frames[r.ID()], r.Counters().FramesSent-before)
			}
			return nil
		}))
		for _, sent := range frames {
			require.LessOrEqual(t, sent[0], uint64(14), "frames grow to the factor")
			if option == nil {
				require.EqualValues(t, 1000, sent[1])
			} else {
				require.LessOrEqual(t, sent[1], uint64(14))
			}
		}
	}
}

func repeated(v uint64, n int) []uint64 {
	vs := make([]uint64, n)
	for i := range vs {
		vs[i] = v
	}
	return vs
}

func TestTuningFailsInWords(t *testing.T) {
	program := func(r *pebble.Rank) error {
		target.New(r, "to", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) {}))
		return r.Epoch(func() error { return nil })
	}
	broken := &pebble.Tuning{Coalesce: true, New: func(tune.Site) (pebble.Tuner, error) {
		return nil,
			errors.New("no tuner today")
	}}
	for want, c := range map[string]pebble.Config{
		"tuning: no tuner today":     {Ranks: 2, Tuning: broken},
		`unknown topology "nowhere"`: {Ranks: 2, Tuning: through(0, tune.Setting{Topology: "nowhere", Coalesce: 1})},
		"a coalescing factor of 0":   {Ranks: 2, Tuning: through(0, tune.Setting{Topology: "direct"})},
		"larger than the memory limit": {Ranks: 2, MemoryLimit: 1 << 20, Tuning: through(0,
			tune.Setting{Topology: "direct", Coalesce: 1, Cache: 1 << 28})},
	} {
		f := program
		if want == "larger than the memory limit" {
			f = func(r *pebble.Rank) error {
				target.New(r, "to", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
					target.Each(func(uint64) {}),
					target.Reduce(reduce.Duplicates[uint64]()))
				return r.Epoch(func() error { return nil })
			}
		}
		require.ErrorContains(t, run(t, c, f), want)
	}
}

// Only rank 0 knows what was chosen, and nobody does where nothing can be.
func TestTuned(t *testing.T) {
	for _, options := range [][]target.Option{nil, {target.Coalesce(7), target.Route(route.Direct)}} {
		require.NoError(t, run(t, pebble.Config{Ranks: 2, Tuning: &pebble.Tuning{Topology: true, Coalesce: true}},
			func(r *pebble.Rank) error {
				target.New(r, "to", distribution.Cyclic(2, 2), target.Key(func(v uint64) uint64 { return v }),
					target.Each(func(uint64) {}), options...)
				for range 3 {
					if err := r.Epoch(func() error { return nil }); err != nil {
						return err
					}
				}
				tuned, ok := r.Tuned()
				require.Equal(t, r.ID() == 0 && options == nil, ok)
				if ok {
					require.Equal(t, tune.Setting{Topology: "direct", Coalesce: 1024}, tuned.Setting)
					require.Contains(t, tuned.Reason, "nothing else was tried yet")
				}
				return nil
			}))
	}
}
