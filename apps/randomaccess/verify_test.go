package randomaccess

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// run loads a table on each of three ranks, does the rest by steps, and returns what the verifier counted in all.
func run(t *testing.T, steps func(b *bench) error) (errors uint64) {
	s := appstest.Shape{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b, err := newBench(r, Config{Log2Words: 8, UpdatesPerWord: 4})
		if err == nil {
			err = b.load()
		}
		if err == nil {
			err = steps(b)
		}
		if err != nil {
			return err
		}
		sum, err := apps.Sum(r, b.errors)
		if r.ID() == 0 {
			errors = sum
		}
		return err
	}))
	return errors
}

// broken is run with harm done to the table of one rank after the kernel.
func broken(t *testing.T, harm func(table []uint64)) uint64 {
	return run(t, func(b *bench) error {
		if err := b.kernel(); err != nil {
			return err
		}
		if b.rank.ID() == 1 {
			harm(b.table)
		}
		return b.verify()
	})
}

func TestVerifierNotices(t *testing.T) {
	require.Zero(t, broken(t, func([]uint64) {}))
	require.EqualValues(t, 2, broken(t, func(table []uint64) { table[17] ^= 1 }), "a wrong word, and the sum")
	require.EqualValues(t, 2, broken(t, func(table []uint64) { table[3], table[4] = table[4], table[3] }), "two words")
	require.EqualValues(t, 257, broken(t, func(table []uint64) {
		for i := range table {
			table[i] ^= 1 << (i / 4)
		}
		table[0] ^= 12345
	}), "all words, and the sum")
}

// An update that both runs lose leaves every word right at the end: only the XOR over the table tells.
func TestVerifierNoticesWhatIsLostTwice(t *testing.T) {
	lossy := func(b *bench, send func(rans []uint64)) func(rans []uint64) {
		lost := b.rank.ID() != 1
		return func(rans []uint64) {
			if !lost {
				lost, rans = true, rans[1:]
			}
			send(rans)
		}
	}
	require.EqualValues(t, 1, run(t, func(b *bench) error {
		if err := b.pass(lossy(b, b.updates("update"))); err != nil {
			return err
		}
		return b.check(lossy(b, b.updates("undo")))
	}))
}
