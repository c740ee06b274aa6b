package delegate_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// operation is an operation on a word: the word becomes new if it equals old, or is increased by new.
type operation struct {
	Key      uint64
	Old, New uint64
	Add      uint64 // 1: it adds
}

func (o operation) apply(word uint64) uint64 {
	switch {
	case o.Add == 1:
		return word + o.New
	case word == o.Old:
		return o.New
	}
	return word
}

// history has the operations that tasks of all ranks saw. A separate checker searches for an order of operations that
// explains all answers, such that no operation comes before one that had ended when it began (Herlihy and Wing 1990).
type history struct {
	mu    sync.Mutex
	clock atomic.Int64
	all   []porcupine.Operation
}

var wordModel = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		by := map[uint64][]porcupine.Operation{}
		for _, o := range all {
			key := o.Input.(operation).Key
			by[key] = append(by[key], o)
		}
		var parts [][]porcupine.Operation
		for _, part := range by {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return uint64(0) },
	Step: func(state, input, output any) (bool, any) {
		word := state.(uint64)
		return output.(uint64) == word, input.(operation).apply(word)
	},
}

func (h *history) do(client int, o operation, call func(o operation) uint64) uint64 {
	began := h.clock.Add(1)
	word := call(o)
	ended := h.clock.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, porcupine.Operation{ClientId: client, Input: o, Output: word, Call: began, Return: ended})
	return word
}

// Additions and compare-and-swaps of one word take effect one after the other, between their call and return.
func TestHistoriesAreLinearizable(t *testing.T) {
	const clients, each, keys = 6, 12, 3
	seed := seeds.Of(t)
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		var h history
		return func(r *pebble.Rank) error {
				s := task.New(r)
				owner, own := distribution.Cyclic(keys, ranks), map[uint64]uint64{}
				change := delegate.New(s, "change", owner, func(o operation) uint64 { return o.Key }, func(o operation) uint64 {
					word := own[o.Key]
					own[o.Key] = o.apply(word)
					return word
				})
				return s.Run(func() {
					for client := range clients {
						number := client*ranks + r.ID()
						random := rand.New(rand.NewPCG(seed, uint64(number)))
						s.Go(func() {
							var seen [keys]uint64
							for range each {
								// With few values the number of orders is so large that a checker may not end.
								o := operation{Key: random.Uint64N(keys), New: random.Uint64N(1 << 40), Add: random.Uint64N(2)}
								o.Old = seen[o.Key]
								seen[o.Key] = o.apply(h.do(number, o, change.Call))
								if random.IntN(3) == 0 {
									s.Yield()
								}
							}
						})
					}
				})
			}, func(t *testing.T) {
				require.Len(t, h.all, clients*each*ranks)
				require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(wordModel, h.all, time.Minute))
			}
	})
}

// The checker finds a history of lost additions, of stale reads, and of effects ahead of their calls.
func TestWrongHistoriesAreFound(t *testing.T) {
	add := operation{New: 1, Add: 1}
	at := func(word uint64, began, ended int64) porcupine.Operation {
		return porcupine.Operation{Input: add, Output: word, Call: began, Return: ended}
	}
	for name, wrong := range map[string][]porcupine.Operation{
		"lost":  {at(0, 1, 2), at(0, 3, 4)},
		"stale": {at(0, 1, 2), at(2, 3, 4), at(1, 5, 6)},
		"early": {at(1, 1, 2), at(0, 3, 4)},
	} {
		require.False(t, porcupine.CheckOperations(wordModel, wrong), name)
	}
	require.True(t, porcupine.CheckOperations(wordModel, []porcupine.Operation{at(1, 1, 4), at(0, 2, 3)}))
}
