package randomaccess

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumberJumpsToWhereNextWalks(t *testing.T) {
	ran := uint64(1)
	for n := range uint64(5000) {
		require.Equal(t, ran, number(n))
		ran = next(ran)
	}
}

func TestJumpsAddUp(t *testing.T) {
	for range 200 {
		a, b := rand.Uint64N(1<<62), rand.Uint64N(1<<62)
		require.Equal(t, number(a+b), times(number(a), number(b)), "%d and %d", a, b)
	}
}

// The benchmark gives the period of its stream.
func TestPeriod(t *testing.T) {
	const period = 1317624576693539401
	require.EqualValues(t, 1, number(period))
	require.EqualValues(t, 2, number(period+1))
	require.EqualValues(t, 2, number(1))
	require.Greater(t, uint64(period), uint64(updatesMax))
}

func TestFill(t *testing.T) {
	rans := make([]uint64, 300)
	last := fill(rans, number(70))
	require.Equal(t, number(71), rans[0])
	require.Equal(t, number(370), rans[299])
	require.Equal(t, rans[299], last)
}

// The closed formula for the XOR of the first numbers.
func TestTotal(t *testing.T) {
	want, ran := uint64(0), uint64(1)
	for n := range uint64(300) {
		require.Equal(t, want, total(n), n)
		ran = next(ran)
		want ^= ran
	}
}
