package target_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

var errTried = errors.New("no room")

type step struct{ Key, Left uint64 }

func keyOf(s step) uint64 { return s.Key }

// A handler that gets its target sends on by it: no variable is declared before the target.
func TestTryHandlersSendOn(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 7} {
		for name, handling := range map[string]func(handled *int) target.Handling[step]{
			"each": func(handled *int) target.Handling[step] {
				return target.TryEach(func(t *target.Target[step], s step) error {
					*handled++
					if s.Left > 0 {
						t.Send(step{(s.Key + 1) % uint64(ranks), s.Left - 1})
					}
					return nil
				})
			},
			"batch": func(handled *int) target.Handling[step] {
				return target.TryBatch(func(t *target.Target[step], vs []step) error {
					for _, s := range vs {
						*handled++
						if s.Left > 0 {
							t.Send(step{(s.Key + 1) % uint64(ranks), s.Left - 1})
						}
					}
					return nil
				})
			},
		} {
			require.NoError(t, run(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				handled := 0
				visit := target.New(r, "visit", distribution.Ranks(ranks), target.Key(keyOf), handling(&handled))
				err := r.Epoch(func() error {
					for i := range uint64(300) {
						visit.Send(step{i % uint64(ranks), i % 5})
					}
					return nil
				})
				if err != nil {
					return err
				}
				all, err := pebble.AllReduce(r, handled, pebble.Sum)
				if want := ranks * 300 * 3; err == nil && all != want {
					err = fmt.Errorf("%s: %d were handled, not %d", name, all, want)
				}
				return err
			}))
		}
	}
}

// The error of a handler ends the job on every rank, and names what failed.
func TestTryErrorsAreNamed(t *testing.T) {
	for _, ranks := range []int{1, 2, 5} {
		for want, handling := range map[string]target.Handling[step]{
			`rank %d: target "visit": handle pebble {Key:%d Left:7}: no ` +
				`room`: target.TryEach(func(_ *target.Target[step], s step) error {
				if s.Left == 7 {
					return errTried
				}
				return nil
			}),
			`rank %d: target "visit": handle pebble {Key:%d Left:7}: at last: pebble 7 of its batch: no ` +
				`room`: target.TryBatch(
				func(_ *target.Target[step], vs []step) error {
					return fmt.Errorf("at last: %w", target.At(7, errTried))
				}),
			`rank %d: target "visit": handle a batch of 10 pebbles from {Key:%d Left:0} on: no room`: target.TryBatch(
				func(*target.Target[step], []step) error { return errTried }),
			`rank %d: target "visit": handle a batch of 10 pebbles from {Key:%d Left:0} on: pebble 10 of its ` +
				`batch: no room`: target.TryBatch(
				func(*target.Target[step], []step) error { return target.At(10, errTried) }),
		} {
			told := make([]error, ranks)
			last := uint64(ranks - 1)
			err := run(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				visit := target.New(r, "visit", distribution.Ranks(ranks), target.Key(keyOf), handling)
				told[r.ID()] = r.Epoch(func() error {
					if r.ID() == 0 {
						var all []step
						for i := range uint64(10) {
							all = append(all, step{last, i})
						}
						visit.SendAll(all)
					}
					return nil
				})
				return nil // the error ends the job all the same
			})
			require.EqualError(t, err, fmt.Sprintf(want, last, last))
			require.ErrorIs(t, err, errTried)
			var named *target.HandlerError
			require.ErrorAs(t, err, &named)
			require.EqualValues(t, last, named.Rank)
			require.Equal(t, "visit", named.Target)
			for _, e := range told {
				require.ErrorIs(t, err, e)
			}
		}
	}
}

// Pebbles through a codec may be of any size: the text of one in an error is bounded, and whole runes on one line.
func TestTryErrorsAreShort(t *testing.T) {
	for length := range 8 {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			say := target.New(r, "say", distribution.Ranks(2), target.Key(func(string) uint64 { return 1 }),
				target.TryEach(func(*target.Target[string],
					string) error {
					return errTried
				}), target.Coded(target.Codec[string](texts{})))
			return r.Epoch(func() error {
				say.Send(strings.Repeat("x", length) + "\n" + strings.Repeat("é", 100_000))
				return nil
			})
		})
		var named *target.HandlerError
		require.ErrorAs(t, err, &named)
		require.LessOrEqual(t, len(named.Pebble), 200)
		require.Greater(t, len(named.Pebble), 190)
		require.True(t, utf8.ValidString(named.Pebble))
		require.True(t, strings.HasSuffix(named.Pebble, "é..."), named.Pebble)
		require.NotContains(t, err.Error(), "\n")
	}
}

type texts struct{}

func (texts) Append(dst []byte, v string) ([]byte, error) { return append(dst, v...), nil }
func (texts) Decode(src []byte) (string, error)           { return string(src), nil }

func TestTryOfNothingIsRefused(t *testing.T) {
	for _, handling := range []target.Handling[step]{target.TryEach[step](nil), target.TryBatch[step](nil)} {
		err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			target.New(r, "visit", distribution.Ranks(1), target.Key(keyOf), handling)
			return nil
		})
		require.ErrorContains(t, err, "it has no handler: give target.Each or target.Batch")
	}
}

// BenchmarkHandlers compares the forms of handlers: nanoseconds a pebble, in batches of the coalescing factor.
func BenchmarkHandlers(b *testing.B) {
	var sum uint64
	for name, handling := range map[string]target.Handling[uint64]{
		"Each":    target.Each(func(v uint64) { sum += v }),
		"TryEach": target.TryEach(func(_ *target.Target[uint64], v uint64) error { sum += v; return nil }),
		"Batch": target.Batch(func(vs []uint64) {
			for _, v := range vs {
				sum += v
			}
		}),
		"TryBatch": target.TryBatch(func(_ *target.Target[uint64], vs []uint64) error {
			for _, v := range vs {
				sum += v
			}
			return nil
		}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			require.NoError(b, run(b, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
				add := target.New(r, "add", distribution.Ranks(1), target.Keys(func(_ []uint64,
					keys []uint64) {
					clear(keys)
				}), handling)
				return r.Epoch(func() error {
					vs := make([]uint64, 1024)
					b.ResetTimer()
					for left := b.N; left > 0; left -= len(vs) {
						add.SendAll(vs[:min(left, len(vs))])
					}
					return nil
				})
			}))
		})
	}
}

// What a form costs in memory is nothing, in batches of any length.
func TestTryAllocatesNothing(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		sum := uint64(0)
		add := target.New(r, "add", distribution.Ranks(1), target.Key(func(uint64) uint64 { return 0 }),
			target.TryEach(func(_ *target.Target[uint64], v uint64) error { sum += v; return nil }))
		return r.Epoch(func() error {
			vs := make([]uint64, 300)
			add.SendAll(vs)
			if n := testing.AllocsPerRun(100, func() { add.SendAll(vs) }); n != 0 {
				return fmt.Errorf("%v allocations", n)
			}
			return nil
		})
	}))
}
