package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) {
	member := func(r *pebble.Rank, _ string) error { return program(gatherForever)(r) }
	if !appstest.Member(member) {
		goleak.VerifyTestMain(leaks.Main(m))
	}
}

// rank is a rank of a job, with its memory. Its assertions end the job.
type rank struct {
	appstest.Rank
	s *memory.Space
}

func program(do func(r rank)) func(r *pebble.Rank) error {
	return appstest.Checked(func(r appstest.Rank) { do(rank{r, memory.New(r.Rank)}) })
}

// words is an array of all ranks.
func (r rank) words(name string, n uint64) *memory.Array[uint64] {
	return memory.NewArray[uint64](r.s, name, distribution.Block(n, r.Size()))
}

// shape returns a job in one process over mem, and in up to the given number over other transports.
func shape(transport string, ranks, processes int) appstest.Shape {
	if transport == "mem" {
		processes = 1
	}
	return appstest.Shape{
		Ranks: ranks, Procs: min(processes, ranks), Transport: transport, New: route.Direct, Coalesce: 64,
	}
}

// transports connect processes of one machine.
var transports = []string{"mem", "shm", "tcp"}

// everywhere runs a program where appstest.Everywhere does.
func everywhere(t *testing.T, do func(r rank)) {
	appstest.Everywhere(t, func(*testing.T, int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		return program(do), nil
	})
}

// byTransport runs a program on four ranks over each transport.
func byTransport(t *testing.T, do func(r rank)) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) { require.NoError(t, shape(transport, 4, 2).Run(t, program(do))) })
	}
}

// withCaches runs a program over the transports, on 1 to 7 ranks in 1 to 4 processes, with address caches of all sizes:
// none, one that is too small, and the default.
func withCaches(t *testing.T, do func(r rank)) {
	for _, ranks := range []int{1, 2, 3, 4, 7} {
		for i, transport := range []string{"mem", "shm", "tcp", "tcp"} {
			for _, cache := range []int{-1, 4, 100} {
				s := shape(transport, ranks, i+1)
				s.AddressCache = cache
				require.NoError(t, s.Run(t, program(do)), "%v, address cache %d", s, cache)
			}
		}
	}
}

// nearAndFar runs a program on two ranks in one process and in two, with and without a cache of addresses.
func nearAndFar(t *testing.T, do func(r rank)) {
	for _, cache := range []int{0, -1, 10} {
		s := shape("tcp", 2, 2)
		if cache == 0 {
			s = shape("mem", 2, 1)
		}
		s.AddressCache = cache
		require.NoError(t, s.Run(t, program(do)), "%v, address cache %d", s, cache)
	}
}

// odd is an element whose size is no multiple of a word.
type odd struct {
	A uint32
	B [5]byte
}

// wide is an element of several words.
type wide struct{ A, B, C uint64 }
