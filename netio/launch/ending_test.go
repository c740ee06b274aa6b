package launch

import (
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBlameFindsTheFirstCause(t *testing.T) {
	follower := Outcome{Process: 0, Status: ExitFollower}
	panicked := Outcome{Process: 1, Status: ExitPanic}
	killed := Outcome{Process: 2, Status: 137, Signal: syscall.SIGKILL}
	well := Outcome{Process: 3}
	asked := Outcome{Process: 4, Status: 143, told: true}
	late := Outcome{Process: 5, Status: ExitPanic, told: true}
	cut := Outcome{Process: 6, Status: 255, Host: "a", told: true}
	for _, c := range []struct {
		order []Outcome // seen in this order
		first int
	}{
		{[]Outcome{follower, panicked}, 1},
		{[]Outcome{panicked, killed}, 1},
		{[]Outcome{killed, panicked}, 2},
		{[]Outcome{well, follower, killed}, 2},
		{[]Outcome{follower, well}, 3},
		{[]Outcome{follower, asked}, 0},
		{[]Outcome{follower, asked, late}, 5},
		{[]Outcome{cut, follower, asked}, 0},
		{[]Outcome{late, killed}, 2},
		{[]Outcome{asked}, 4},
	} {
		require.Equal(t, c.first, blame(c.order).Process, c.order)
	}
}

func TestNobodyIsBlamedForFollowingWhileSomeoneHasARealCause(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		order := []Outcome{{Process: 0, Status: ExitPanic}}
		for i := range random.IntN(8) {
			order = append(order, Outcome{Process: i + 1, Status: ExitFollower * random.IntN(2)})
		}
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		require.Zero(t, blame(order).Process, order)
	}
}
