package target_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/target/avro"
)

// chasing asks for the successor of a word until chases have taken the given number of steps, and checks their ends.
func chasing(r *pebble.Rank) error {
	const words, chases, steps = 500, 40, 15
	next := func(i uint64) uint64 { return (i*7 + 3) % words }
	type chase struct{ At, Start, Left uint64 }
	owner := distribution.Cyclic(words, r.Size())
	ended := 0
	var wrong error
	var ask *target.Ask[chase, uint64]
	ask = target.NewAskBatch(r, "next", owner, target.Key(func(c chase) uint64 { return c.At }),
		func(qs []chase, as []uint64) {
			for i, q := range qs {
				if owner.Owner(q.At) != r.ID() {
					wrong = fmt.Errorf("word %d was asked for at rank %d", q.At, r.ID())
				}
				as[i] = next(q.At)
			}
		},
		func(qs []chase, as []uint64) {
			var more []chase
			for i, q := range qs {
				q.At, q.Left = as[i], q.Left-1
				if q.Left > 0 {
					more = append(more, q)
					continue
				}
				want := q.Start
				for range steps {
					want = next(want)
				}
				if q.At != want || q.Start%uint64(r.Size()) != uint64(r.ID()) {
					wrong = fmt.Errorf("%+v on rank %d, not %d", q, r.ID(), want)
				}
				ended++
			}
			if len(more) > 1 {
				ask.SendAll(more[1:])
			}
			for _, q := range more[:min(1, len(more))] {
				ask.Send(q)
			}
		})
	begun := 0
	err := epoch(r, func() {
		var all []chase
		for start := range uint64(chases) {
			if start%uint64(r.Size()) == uint64(r.ID()) {
				all = append(all, chase{start, start, steps})
				begun++
			}
		}
		ask.SendAll(all)
		ask.Flush()
	})
	if err == nil && ended != begun {
		err = fmt.Errorf("%d of %d chases ended", ended, begun)
	}
	if err == nil {
		err = wrong
	}
	return err
}

func TestAsk(t *testing.T) {
	seed := seeds.Of(t)
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, transport := range []string{"mem", "shm", "tcp"} {
			for _, factor := range []int{1, 64} {
				s := appstest.Shape{Ranks: ranks, Procs: min(2, ranks), Transport: transport, New: route.Direct,
					Coalesce: factor}
				require.NoError(t, s.Run(t, chasing), "%v", s)
			}
		}
		world := sim.Config{Ranks: ranks, Processes: ranks, Seed: seed, Faults: sim.Faults{Delay: 0.2, Double: 0.2}}
		require.NoError(t, appstest.Simulate(t, world, pebble.Config{Topology: route.Hypercube, Coalesce: 8}, chasing))
	}
}

// A question with its answer counts as two pebbles of a declared depth.
func TestAskWithinADepth(t *testing.T) {
	for _, depth := range []int{1, 2} {
		answers := 0
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			ask := target.NewAskBatch(r, "ask", distribution.Cyclic(2, 2), target.Key(identity),
				func(qs, as []uint64) { copy(as, qs) },
				func(qs, as []uint64) {
					require.Equal(t, qs, as)
					answers += len(as)
				})
			return epochOf(0, r, func() {
				ask.Send(0)
				ask.Send(1)
			}, pebble.Depth(depth))
		})
		if depth == 2 {
			require.NoError(t, err)
			require.Equal(t, 2, answers)
			continue
		}
		var told *pebble.DepthError
		require.ErrorAs(t, err, &told)
	}
}

// Answers have their own options: rank 1 answers with one frame per pebble, or with far fewer.
func TestAnswersGoAsTheyAre(t *testing.T) {
	const asked = 100
	frames := func(options ...target.Option) uint64 {
		got := 0
		counters := job(t, pebble.Config{Ranks: 2, Coalesce: 64}, func(r *pebble.Rank) error {
			ask := target.NewAskBatch(r, "double", distribution.Ranks(2), target.Key(func(uint64) uint64 { return 1 }),
				func(qs []uint64, as []uint64) {
					for i, q := range qs {
						as[i] = 2 * q
					}
				}, func(qs, as []uint64) {
					for i := range qs {
						require.Equal(t, 2*qs[i], as[i])
					}
					got += len(qs)
				}, options...)
			return epochOf(0, r, func() {
				for i := range uint64(asked) {
					ask.Send(i)
				}
			})
		})
		require.Equal(t, asked, got)
		return counters[1].FramesSent
	}
	require.Less(t, frames(), uint64(asked/10))
	require.EqualValues(t, asked, frames(target.Answers(target.Coalesce(1))))
}

// spelled returns the answer for a word.
func spelled(word string) []byte { return []byte(strings.ToUpper(word) + "!") }

// Texts are asked and answered, empty and longer than a frame, at home and elsewhere, by handlers too.
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
			appstest.Epoch(r, func() {
				spell.SendAll(words)
				for _, word := range words {
					spell.Send(word)
				}
			})
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

// One codec is enough if answers, or questions, are plain data, or if both have one type.
func TestAskWithOneCodec(t *testing.T) {
	job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
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
		err := epoch(r, func() {
			for i := range uint64(30) {
				length.Send(fmt.Sprint(i))
				number.Send(i % 3)
				double.Send(fmt.Sprint(i))
			}
		})
		if err == nil && [3]int{lengths, texts, twice} != [3]int{30, 30, 30} {
			return fmt.Errorf("%d lengths, %d texts and %d doubles", lengths, texts, twice)
		}
		return err
	})
}
