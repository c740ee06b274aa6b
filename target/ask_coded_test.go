package target_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/target/avro"
)

// spelled is what a word is answered with.
func spelled(word string) []byte { return []byte(strings.ToUpper(word) + "!") }

// Texts are asked and answered, empty ones and such as are longer than a frame, at home and elsewhere, and by handlers
// too.
func TestAskOfTexts(t *testing.T) {
	words := []string{"", "a", "rose", strings.Repeat("is ", 50_000), strings.Repeat("x", 70_000)}
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		return func(r *pebble.Rank) error {
			wrong, came := "", map[string]int{}
			var spell *target.Ask[string, []byte]
			spell = target.NewAskBatch(r, "spell", distribution.Hash(ranks), target.Key(distribution.HashString),
				func(qs []string, as [][]byte) {
					for i, q := range qs {
						as[i] = spelled(q)
					}
				},
				func(qs []string, as [][]byte) {
					for i, q := range qs {
						if string(as[i]) != string(spelled(q)) {
							wrong = q
						}
						if came[q]++; came[q] == 1 {
							spell.Send(q)
						}
					}
				}, target.Coded(pebble.Strings{}), target.Coded(pebble.Bytes{}))
			if err := r.Epoch(func() error {
				spell.SendAll(words)
				for _, word := range words {
					spell.Send(word)
				}
				return nil
			}); err != nil {
				return err
			}
			for _, word := range words {
				if came[word] != 3 {
					wrong = word
				}
			}
			if wrong != "" || came[""] != 3 {
				return fmt.Errorf("rank %d: %.20q was answered %d times, or wrongly", r.ID(), wrong, came[wrong])
			}
			return nil
		}, nil
	})
}

// A codec of the questions alone is enough where answers are plain data, and the other way round; one codec serves both
// where both are of one type.
func TestAskWithOneCodec(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		var lengths, texts, twice int
		length := target.NewAsk(r, "length", distribution.Hash(3), target.Key(distribution.HashString),
			func(q string) int { return len(q) },
			func(q string, a int) { lengths += a - len(q) + 1 }, target.Coded(avro.Must[string]()))
		number := target.NewAsk(r, "text", distribution.Ranks(3), target.LowBits[uint64](2),
			func(q uint64) string { return fmt.Sprint(q) },
			func(q uint64, a string) {
				if a == fmt.Sprint(q) {
					texts++
				}
			}, target.Coded(pebble.Strings{}))
		double := target.NewAsk(r, "double", distribution.Hash(3), target.Key(distribution.HashString),
			func(q string) string { return q + q },
			func(q, a string) {
				if a == q+q {
					twice++
				}
			}, target.Coded(pebble.Strings{}))
		err := r.Epoch(func() error {
			for i := range uint64(30) {
				length.Send(fmt.Sprint(i))
				number.Send(i % 3)
				double.Send(fmt.Sprint(i))
			}
			return nil
		})
		if err == nil && [3]int{lengths, texts, twice} != [3]int{30, 30, 30} {
			return fmt.Errorf("%d lengths, %d texts and %d doubles", lengths, texts, twice)
		}
		return err
	}))
}

// What is not plain data and has no codec is refused with the option to add, and so is a codec that is for nothing.
func TestAskWithoutCodecs(t *testing.T) {
	type order struct{ Item string }
	for want, register := range map[string]func(r *pebble.Rank, owner distribution.Map){
		`target "q": its question: type string is not plain data: string is a string, which means nothing on ` +
			`another rank: ` +
			`add target.Coded(pebble.Strings{})`: func(r *pebble.Rank, owner distribution.Map) {
			target.NewAskBatch(r, "q", owner, target.Key(distribution.HashString), func([]string, []int) {},
				func([]string, []int) {})
		},
		"its answer: type []uint8 is not plain data: []uint8 is a []uint8, which means nothing on another rank: " +
			"add target.Coded(pebble.Bytes{})": func(r *pebble.Rank, owner distribution.Map) {
			target.NewAskBatch(r, "q", owner, target.LowBits[uint64](2), func([]uint64, [][]byte) {}, func([]uint64,
				[][]byte) {
			})
		},
		"add target.Coded(avro.Must[target_test.order]()), or another codec of it": func(r *pebble.Rank,
			owner distribution.Map) {
			target.NewAskBatch(r, "q", owner, target.LowBits[uint64](2), func([]uint64, []order) {}, func([]uint64,
				[]order) {
			})
		},
		"target.Coded got a pebble.Strings, and none of its values is what that is for: its question is a uint64, " +
			"its answer a uint64": func(
			r *pebble.Rank, owner distribution.Map) {
			target.NewAskBatch(r, "q", owner, target.LowBits[uint64](2), func(_, _ []uint64) {}, func(_, _ []uint64) {},
				target.Coded(pebble.Strings{}))
		},
		"target.Coded got no codec: give one, or leave the option out for plain data": func(r *pebble.Rank,
			owner distribution.Map) {
			target.NewAskBatch(r, "q", owner, target.Key(distribution.HashString), func([]string, []int) {},
				func([]string, []int) {},
				target.Coded[string](nil))
		},
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			register(r, distribution.Hash(2))
			return nil
		})
		require.ErrorContains(t, err, want)
	}
}
