package worlds

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// With one frame of credit, one pebble per frame, and links of different stages, ranks do not wait in a circle.
func TestTightCredit(t *testing.T) {
	first := seeds.Of(t)
	for i := range *countFlag / 4 {
		w := tight(first + i)
		_, err := w.Run()
		require.NoError(t, err, "-world='%v'", w)
	}
}

// tight returns a world with the least possible credit, over a topology with stages: in every other world a hypercube
// of a power of two.
func tight(seed uint64) World {
	w := Draw(seed)
	d := drawn{rand.New(rand.NewPCG(seed, 0x7469676874))}
	w.Topology = one(d, "hypercube", "mesh:2", "mesh:3", "tree", "two-stage")
	w.Ranks = 4 + d.IntN(13)
	if seed%2 == 0 {
		w.Topology, w.Ranks = "hypercube", 4<<d.IntN(3)
	}
	w.Processes = 2 + d.IntN(w.Ranks-1)
	w.Coalesce, w.Credits, w.Cache, w.Pebbles = 1+d.IntN(2), 1, 0, 5+d.IntN(20)
	w.Death, w.Loss, w.Corrupt, w.Freeze, w.Partition = 0, 0, 0, 0, 0
	return w.repaired()
}
