package epochs

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every epoch delivers all of its pebbles, under every shape of the network.
func TestEveryShape(t *testing.T) {
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		pebbles := uint64(s.Coalesce % 2) // none where the factor is even
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			got, err := Run(r, Config{Count: 3, Pebbles: 3 * pebbles})
			if err != nil {
				return err
			}
			require.Zero(t, got.Errors)
			require.EqualValues(t, 3, got.Counters.Epochs)
			require.EqualValues(t, 9*pebbles*uint64(s.Ranks), got.Counters.PebblesSent)
			require.EqualValues(t, 9*pebbles*uint64(s.Ranks), got.Counters.PebblesHandled)
			return nil
		}))
	})
}

func TestRun(t *testing.T) {
	var calls []uint64
	c := Config{Count: 300, Pebbles: 1, Common: apps.Common{Progress: func(done, total uint64) {
		require.EqualValues(t, 300, total)
		calls = append(calls, done)
	}}}
	require.NoError(t, job(3).Run(t, func(r *pebble.Rank) error {
		got, err := Run(r, c)
		require.Positive(t, got.SecondsPerEpoch)
		require.Len(t, got.Rows(), 2)
		return err
	}))
	require.Len(t, calls, 100)
	require.IsIncreasing(t, calls)
}

func job(ranks int) appstest.Shape {
	return appstest.Mem(ranks)
}

// An epoch that ends before its pebbles were handled is an error.
func TestAnEarlyEndIsAnError(t *testing.T) {
	b := &bench{tally: apps.Tally{Handled: 2}}
	b.verify(2)
	require.Zero(t, b.errors)
	b.verify(3)
	b.verify(1)
	require.EqualValues(t, 2, b.errors)
}

func TestCheck(t *testing.T) {
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Count: 1 << 20, Pebbles: 1 << 30}.Check(1))
	require.ErrorContains(t, Config{Count: 1 << 30, Pebbles: 1 << 30}.Check(1), "give fewer")
	require.ErrorContains(t, Config{Pebbles: 1 << 62}.Check(1), "give fewer")
}
