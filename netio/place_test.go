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

// Hosts are runs of processes. Where none are known, each process is one.
func TestHostsOfPlaces(t *testing.T) {
	p := netio.PlaceOf(7, 4, 2) // ranks 0-1, 2-3, 4-5 and 6
	require.Equal(t, []int{0, 2, 4, 6}, p.Hosts())
	require.Equal(t, 2, p.HostOf(5))
	require.Equal(t, 2, p.OnHost())
	for _, hosts := range [][]int{{0}, {0, 1}, {0, 3}, {0, 1, 3}, {0, 1, 2, 3}} {
		placed := p.OnHosts(hosts)
		require.Equal(t, p, placed.OnHosts(nil))
		all := placed.Hosts()
		require.Len(t, all, len(hosts))
		beside := 0
		for rank := range p.Ranks {
			if placed.HostOf(rank) == placed.HostOf(p.First) {
				beside++
			}
		}
		require.Equal(t, beside, placed.OnHost())
		for rank, host := 0, -1; rank < p.Ranks; rank++ {
			if host+1 < len(hosts) && p.ProcessOf(rank) == hosts[host+1] {
				host++
				require.Equal(t, rank, all[host])
			}
			require.Equal(t, host, placed.HostOf(rank))
		}
	}
	require.Equal(t, []int{0, 4}, netio.PlaceAmong(5, []int{0, 1, 4}, 0).OnHosts([]int{0, 2}).Hosts())
}
