package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// Elements are found where the distribution says, by whichever way: a shift, a multiplication, or what the distribution
// answers itself. All accesses to another process are counted, also where its memory is mapped here.
func TestElementsAreFound(t *testing.T) {
	for _, d := range []distribution.Indexed{
		distribution.Block(64, 2), distribution.Block(63, 2), distribution.Block(100, 2), distribution.Block(1, 2), distribution.Block(2, 2),
		distribution.Cyclic(100, 2), distribution.BlockCyclic(100, 2, 7),
	} {
		for _, transport := range []string{"mem", "shm", "tcp"} {
			over(t, transport, d, func(_ *pebble.Rank, a *memory.Array[uint64]) {
				all := make([]uint64, 0, a.Len())
				want, got := make([]uint64, a.Len()), make([]uint64, a.Len())
				for i := range a.Len() {
					all = append(all, i)
					want[i] = uint64(d.Local(i))
				}
				for range 2 { // the first asks for addresses
					clear(got)
					a.Gather(got, all)
					require.Equal(t, want, got)
				}
				if transport == "shm" {
					before := memory.CountsOf(a)
					a.Gather(got, all)
					require.Equal(t, before.Remote, memory.CountsOf(a).Remote, "what is mapped is near")
				}
				for i := range a.Len() {
					require.Equal(t, want[i], a.Get(i))
				}
				for i := range a.Len() {
					a.Put(i, 1000+i)
					require.Equal(t, 1000+i, a.Get(i))
				}
				for i := range want {
					want[i] = 5000 + uint64(i)
				}
				a.Scatter(all, want)
				a.GetRange(0, got)
				require.Equal(t, want, got)
				near, others := a.Len(), a.Len()-uint64(d.LocalLen(0))
				switch transport {
				case "mem":
					others = 0
				case "tcp":
					near -= others
				}
				before := memory.CountsOf(a)
				a.Gather(got, all)
				require.Equal(t, near, memory.CountsOf(a).Near-before.Near)
				require.Equal(t, a.Len()-near, memory.CountsOf(a).Remote-before.Remote)
				require.Equal(t, others, memory.CountsOf(a).Hits-before.Hits)
				before = memory.CountsOf(a)
				for i := range a.Len() {
					require.Equal(t, 5000+i, a.Get(i))
				}
				require.Equal(t, others, memory.CountsOf(a).Hits-before.Hits)
			})
		}
	}
}
