package netio_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// A place tells of each rank in whose span it is, whether processes have as many ranks or not.
func TestPlaces(t *testing.T) {
	var all []netio.Place
	for process := range 3 {
		all = append(all, netio.PlaceOf(7, 3, process), netio.PlaceAmong(7, []int{0, 1, 5}, process),
			netio.PlaceAmong(3, []int{0, 1, 2}, process))
	}
	for _, p := range append(all, netio.PlaceOf(5, 1, 0), netio.PlaceAmong(5, []int{0}, 0)) {
		rank := 0
		for process, first := range p.Firsts() {
			from, to := p.Span(process)
			require.Equal(t, rank, from)
			require.Equal(t, rank, first)
			for ; rank < to; rank++ {
				require.Equal(t, process, p.ProcessOf(rank))
				require.Equal(t, process == p.Process, p.Has(rank))
			}
		}
		require.Equal(t, p.Ranks, rank)
	}
}
