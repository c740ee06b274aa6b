package ofi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The bound of packets is met exactly, also where counts wrap and packets overtake each other; and what was taken is told once.
func TestAllowance(t *testing.T) {
	for _, begin := range []uint32{0, 1<<32 - 3} {
		a := allowance{here: 8, there: 4, sent: begin, gone: begin, taken: begin, told: begin}
		for n := range 4 {
			require.True(t, a.room(0), "%d from %d", n, begin)
			require.Equal(t, n < 3, a.room(1))
			a.leave()
		}
		require.False(t, a.room(0))
		require.False(t, a.due())
		a.arrive(begin + 3)
		require.False(t, a.due())
		a.arrive(begin + 2) // which the one before has overtaken
		require.True(t, a.due(), "a quarter of what may come was taken")
		require.True(t, a.room(2))
		require.False(t, a.room(3))
		a.leave()
		require.False(t, a.due())
		a.arrive(begin + 5)
		require.True(t, a.room(3))
		require.False(t, a.room(4))
	}
	require.True(t, (&allowance{sent: 1 << 31}).room(1<<20), "no bound")
}

// The head of a packet says all that it is given.
func TestHeads(t *testing.T) {
	packet := make([]byte, packetHead)
	want := head{token: 1, process: 2, limit: 3, bytes: packetHead, records: 4, releases: 5, short: true, taken: 6}
	want.seal(packet)
	got, member, err := unseal(packet, 1)
	require.NoError(t, err)
	require.True(t, member)
	require.Equal(t, want, got)
}
