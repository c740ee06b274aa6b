//go:build race || pebbles_check

package target_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// A batch that a handler has kept is overwritten as soon as the handler has returned.
func TestKeptBatchesArePoisoned(t *testing.T) {
	const wrong = uint64(0xdbdbdbdbdbdbdbdb)
	job(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		var kept []uint64
		var texts []string
		numbers := target.New(r, "numbers", distribution.Ranks(1), target.Key(func(uint64) uint64 { return 0 }),
			target.Batch(func(vs []uint64) { kept = vs }))
		words := target.New(r, "words", distribution.Ranks(1), target.Key(func(string) uint64 { return 0 }),
			target.Batch(func(vs []string) { texts = vs }), target.Coded(pebble.Strings{}))
		return epoch(r, func() {
			numbers.SendAll([]uint64{1, 2})
			require.Equal(t, []uint64{wrong, wrong}, kept)
			words.SendAll([]string{"ab"})
			require.Equal(t, []string{""}, texts)
		})
	})
}

// A key function that gives another key for the same pebble ends the job.
func TestKeysOfOnePebbleAreEqual(t *testing.T) {
	calls := uint64(0)
	err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		turning := target.New(r, "turning", distribution.Block(1<<20, 1), target.Key(func(v uint64) uint64 {
			calls++
			return v + calls
		}), target.Each(ignore))
		return epoch(r, func() { turning.Send(7) })
	})
	require.Regexp(t, `^\w+_test\.go:\d+: rank 0: target "turning": its key function gives key 8 and then 9 for `+
		"pebble 7: a key may depend on its pebble alone$", err.Error())
}
