package permutation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// broken runs all on three ranks, with harm done to one of them after the kernel, and returns what the verifier
// counted.
func broken(t *testing.T, harm func(b *bench)) (errors uint64) {
	s := appstest.Shape{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b, err := newBench(r, Config{Log2Elements: 8, Seed: 3})
		if err == nil {
			err = b.load()
		}
		if err != nil {
			return err
		}
		result := b.result()
		if err := result.Kernel(r, b.kernel); err != nil {
			return err
		}
		if r.ID() == 1 {
			harm(b)
		}
		if err := b.verify(); err != nil {
			return err
		}
		err = b.judge(&result)
		if r.ID() == 0 {
			errors = result.Errors
		}
		return err
	}))
	return errors
}

func TestVerifierNotices(t *testing.T) {
	require.Zero(t, broken(t, func(*bench) {}))
	require.EqualValues(t, 1, broken(t, func(b *bench) { b.out[3] = nowhere }), "an element that never came")
	require.EqualValues(t, 1, broken(t, func(b *bench) { b.out[3] = b.out[4] }), "one element twice, another lost")
	require.EqualValues(t, 2, broken(t, func(b *bench) { b.out[3], b.out[4] = b.out[4], b.out[3] }), "two changed places")
	require.EqualValues(t, 1, broken(t, func(b *bench) { b.out[255] = 3 << 8 }), "an index that is none")
	require.EqualValues(t, 3, broken(t, func(b *bench) { b.handled += 2 }), "two were handled twice, and not counted by the runtime")
	require.EqualValues(t, 256, broken(t, func(b *bench) {
		for i := range b.out {
			b.out[i] = nowhere
		}
	}), "nothing came")
}
