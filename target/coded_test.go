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

// Strings from one byte to far beyond a buffer arrive once and intact, and cause further strings.
func TestCodedPebbles(t *testing.T) {
	const words = 60
	everywhere(t, 2, 1, func(t *testing.T, c pebble.Config, _ int) {
		counts := make([]map[string]int, c.Ranks)
		job(t, c, func(r *pebble.Rank) error {
			own := map[string]int{}
			counts[r.ID()] = own
			var word *target.Target[string]
			word = target.New(r, "word", distribution.Hash(c.Ranks), target.Key(distribution.HashString),
				target.Each(func(w string) {
					own[w]++
					if rest, ok := strings.CutPrefix(w, "again "); ok {
						word.Send(rest)
					}
				}), target.Coded[string](text{}))
			return epoch(r, func() {
				for i := range words {
					word.Send(longWord(i))
					word.SendAll([]string{"again " + longWord(i), "", "again again end"})
				}
			})
		})
		got, want := map[string]int{}, map[string]int{}
		for _, own := range counts {
			for w, n := range own {
				require.Zero(t, got[w], "a word has two owners")
				got[w] = n
			}
		}
		for i := range words {
			want[longWord(i)] += 2 * c.Ranks
			want["again "+longWord(i)] += c.Ranks
			for _, w := range []string{"", "again again end", "again end", "end"} {
				want[w] += c.Ranks
			}
		}
		require.Equal(t, want, got)
	})
}

// longWord returns a word of i bytes; every tenth is far longer than a frame of coded pebbles.
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
	job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		orders := target.New(r, "orders", distribution.Hash(3),
			target.Key(func(o order) uint64 { return distribution.HashString(o.Item) }),
			target.Each(func(o order) {
				if o.Lines[1].Price == nil && *o.Lines[0].Price == 1.5 && o.Notes["by"] == "air" {
					got.Add(o.Lines[0].Amount)
				}
			}), target.Coded[order](avro.Must[order]()))
		return epoch(r, func() {
			price := 1.5
			for i := range 10 {
				orders.Send(order{fmt.Sprint("item ", i), []line{{int64(i), &price}, {2, nil}},
					map[string]string{"by": "air"}})
			}
		})
	})
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
			return epochOf(0, r, func() { words.Send(word) })
		})
		require.ErrorContains(t, err, want)
	}
}

// A reduction merges strings on their way too, at the source and at hops.
func TestReducedCodedPebbles(t *testing.T) {
	joined := reduce.Combine(func(a, b string) string { return a + b })
	for _, ranks := range []int{1, 2, 5, 8} {
		letters := make([]int, ranks)
		config := pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 64}
		c := total(job(t, config, func(r *pebble.Rank) error {
			words := target.New(r, "words", distribution.Hash(ranks),
				target.Key(func(w string) uint64 { return distribution.HashString(w[:1]) }),
				target.Each(func(w string) { letters[r.ID()] += len(w) }),
				target.Coded[string](text{}), target.Reduce(joined))
			return epoch(r, func() {
				for i := range 300 {
					words.Send(string(rune('a' + i%5)))
				}
			})
		}))
		require.Equal(t, 300*ranks, sumOf(letters))
		require.Equal(t, ranks > 1, c.Merged > 0)
		require.EqualValues(t, 300*ranks, c.PebblesHandled+c.Merged)
	}
}
