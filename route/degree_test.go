package route_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// The degree agrees with a count of all neighbours.
func TestDegree(t *testing.T) {
	for _, name := range []string{"direct", "hypercube", "mesh:1", "mesh:2", "mesh:3", "mesh:4"} {
		constructor, err := route.ByName(name)
		require.NoError(t, err)
		for ranks := 1; ranks <= 200; ranks++ {
			made, most := constructor(ranks), 0
			for at := range ranks {
				most = max(most, len(made.Neighbors(at)))
			}
			require.Equal(t, most, made.(route.Degreed).Degree(), "%s of %d ranks", name, ranks)
		}
	}
}
