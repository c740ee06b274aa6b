package target_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/target/avro"
)

// Strings from one byte to far beyond a buffer arrive once and whole, and set off strings of their own.
func TestCodedPebbles(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 5, 8} {
		for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			for _, factor := range []int{1, 7, 1024} {
				t.Run(fmt.Sprintf("%d ranks, %s, %d", ranks, topology(ranks).Name(), factor), func(t *testing.T) {
					const words = 60
					counts := make([]map[string]int, ranks)
					err := run(t, pebble.Config{Ranks: ranks, Topology: topology, Coalesce: factor},
						func(r *pebble.Rank) error {
							own := map[string]int{}
							counts[r.ID()] = own
							var word *target.Target[string]
							word = target.New(r, "word", distribution.Hash(ranks), target.Key(distribution.HashString),
								target.Each(func(w string) {
									own[w]++
									if strings.HasPrefix(w, "again ") {
										word.Send(strings.TrimPrefix(w, "again "))
									}
								}), target.Coded[string](text{}))
							return r.Epoch(func() error {
								for i := range words {
									word.Send(longWord(i))
									word.SendAll([]string{"again " + longWord(i), "", "again again end"})
								}
								return nil
							})
						})
					require.NoError(t, err)
					got := map[string]int{}
					for _, own := range counts {
						for w, n := range own {
							require.Zero(t, got[w], "a word has two owners")
							got[w] = n
						}
					}
					want := map[string]int{}
					for i := range words {
						want[longWord(i)] += 2 * ranks
						want["again "+longWord(i)] += ranks
						for _, w := range []string{"", "again again end", "again end", "end"} {
							want[w] += ranks
						}
					}
					require.Equal(t, want, got)
				})
			}
		}
	}
}

// longWord is i bytes long, and every tenth is far longer than a frame of coded pebbles.
func longWord(i int) string {
	n := i
	if i%10 == 9 {
		n = 100_000 + i
	}
	return strings.Repeat(string(rune('a'+i%26)), n) + fmt.Sprint(i)
}

type order struct {
	Item  string
	Lines []line
	Notes map[string]string
}

type line struct {
	Amount int64
	Price  *float64
}

func TestAvroPebbles(t *testing.T) {
	var got atomic.Int64
	require.NoError(t, run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		orders := target.New(r, "orders", distribution.Hash(3),
			target.Key(func(o order) uint64 { return distribution.HashString(o.Item) }),
			target.Each(func(o order) {
				if o.Lines[1].Price == nil && *o.Lines[0].Price == 1.5 && o.Notes["by"] == "air" {
					got.Add(o.Lines[0].Amount)
				}
			}), target.Coded[order](avro.Must[order]()))
		return r.Epoch(func() error {
			price := 1.5
			for i := range 10 {
				orders.Send(order{fmt.Sprint("item ", i), []line{{int64(i), &price}, {2, nil}},
					map[string]string{"by": "air"}})
			}
			return nil
		})
	}))
	require.EqualValues(t, 3*45, got.Load())
}

// failing is a codec that breaks on demand.
type failing struct{}

func (failing) Append(dst []byte, s string) ([]byte, error) {
	if s == "unspeakable" {
		return dst, errors.New("no bytes for this")
	}
	return append(dst, s...), nil
}

func (failing) Decode(src []byte) (string, error) {
	if string(src) == "unreadable" {
		return "", errors.New("no pebble in this")
	}
	return string(src), nil
}

func TestCodecErrorsEndTheJob(t *testing.T) {
	for word, want := range map[string]string{
		"unspeakable": `target "words": encode a pebble for key 1: no bytes for this`,
		"unreadable":  `refuses a frame from rank 0: decode a pebble for key 1: no pebble in this`,
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			words := target.New(r, "words", distribution.Cyclic(2, 2), target.Key(func(string) uint64 { return 1 }),
				target.Each(func(string) {}), target.Coded[string](failing{}))
			return r.Epoch(func() error {
				if r.ID() == 0 {
					words.Send(word)
				}
				return nil
			})
		})
		require.ErrorContains(t, err, want)
	}
}

// A reduction merges strings on their way too, at the source and at hops.
func TestReducedCodedPebbles(t *testing.T) {
	for _, ranks := range []int{1, 2, 5, 8} {
		var counters pebble.Counters
		total := make([]int, ranks)
		require.NoError(t, run(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 64},
			func(r *pebble.Rank) error {
				words := target.New(r, "words", distribution.Hash(ranks),
					target.Key(func(w string) uint64 { return distribution.HashString(w[:1]) }),
					target.Each(func(w string) { total[r.ID()] += len(w) }),
					target.Coded[string](text{}), target.Reduce(reduce.Combine(func(a, b string) string { return a + b })))
				if err := r.Epoch(func() error {
					for i := range 300 {
						words.Send(string(rune('a' + i%5)))
					}
					return nil
				}); err != nil {
					return err
				}
				sum, err := pebble.AllReduce(r, r.Counters(), pebble.Counters.Add)
				if r.ID() == 0 {
					counters = sum
				}
				return err
			}))
		sum := 0
		for _, n := range total {
			sum += n
		}
		require.Equal(t, 300*ranks, sum)
		if ranks > 1 {
			require.Positive(t, counters.Merged)
		}
		require.EqualValues(t, 300*ranks, counters.PebblesHandled+counters.Merged)
	}
}
