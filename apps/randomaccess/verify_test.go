package randomaccess

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// broken runs everything, with harm done to one rank's part of the run between kernel and verification or before, and
// returns what the verifier counts.
func broken(t *testing.T, before, after func(b *bench)) (errors uint64) {
	s := appstest.Shape{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b, err := newBench(r, Config{Log2Words: 8, UpdatesPerWord: 4})
		if err != nil {
			return err
		}
		if err := b.load(); err != nil {
			return err
		}
		if r.ID() == 1 {
			before(b)
		}
		if err := b.kernel(); err != nil {
			return err
		}
		if r.ID() == 1 {
			after(b)
		}
		if err := b.verify(); err != nil {
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

func nothing(*bench) {}

func TestVerifierNotices(t *testing.T) {
	require.Zero(t, broken(t, nothing, nothing))
	require.EqualValues(t, 2, broken(t, nothing, func(b *bench) { b.table[17] ^= 1 }), "a wrong word")
	require.EqualValues(t, 2, broken(t, nothing, func(b *bench) { b.table[3], b.table[4] = b.table[4], b.table[3] }),
		"an update misplaced")
	require.EqualValues(t, 257, broken(t, nothing, func(b *bench) {
		for i := range b.table {
			b.table[i] ^= uint64(i) + 1
		}
	}), "all words wrong")
}

// An update that both runs lose leaves every word right at the end: only the XOR over the table tells.
func TestVerifierNoticesWhatIsLostTwice(t *testing.T) {
	require.EqualValues(t, 1, broken(t, nothing, func(b *bench) {
		ran := number(1)
		b.table[5] ^= ran
		b.errors = 0
		b.loseInVerify(5, ran)
	}))
}

// loseInVerify makes the second run miss what the first one missed.
func (b *bench) loseInVerify(at int, ran uint64) {
	sent := false
	b.config.Progress = nil
	b.beforeSend = func() {
		if !sent {
			sent = true
			b.table[at] ^= ran
		}
	}
}
