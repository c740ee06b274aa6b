package memory_test

import (
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/netio/connect"
)

// gatherForever gathers random words of all ranks.
func gatherForever(r rank) {
	const part, batch = 1 << 14, 1024
	a := r.words("table", appstest.Members*part)
	for i := range a.Local() {
		a.Local()[i] = uint64(r.ID()*part + i)
	}
	r.Meet()
	r.Do(func() {
		all, got := make([]uint64, batch), make([]uint64, batch)
		for x, n := uint64(r.ID()), 0; ; n++ {
			for i := range all {
				x = x*multiplier + 1
				all[i] = x >> 32 % (appstest.Members * part)
			}
			a.Gather(got, all)
			r.Equal(all, got)
			if n == 50 {
				appstest.Flows()
			}
		}
	})
}

// If an owner is killed while others gather from it, their ranks end with an error that names it.
func TestKilledOwner(t *testing.T) {
	for _, by := range []string{connect.ByShm, connect.ByTCP} {
		t.Run(by, func(t *testing.T) { appstest.Kills(t, 2, by, "gathers", 0, 1, 2) })
	}
}
