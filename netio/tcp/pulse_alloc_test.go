//go:build !race

package tcp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Idle processes exchange heartbeats, without limit, and allocate nothing for it.
func TestHeartbeatsAllocateNothing(t *testing.T) {
	both, _ := twins(t, time.Hour)
	pulses := [2]*pulse{both[0].newPulse(), both[1].newPulse()}
	require.Zero(t, testing.AllocsPerRun(20*silentRounds, func() {
		pulses[0].round()
		pulses[1].round()
	}))
	for i := range both {
		for _, l := range both[i].peer(1 - i).streams {
			require.Greater(t, l.said.Load(), uint64(20), "heartbeats")
		}
	}
}
