package coalesce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/coalesce"
)

// Scatter does what appending to plain slices does, whatever the sizes.
func TestScatterAgainstSlices(t *testing.T) {
	type pebble struct {
		a uint64
		b [3]byte
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		lanes := make([]coalesce.Lane, 1+rng.IntN(9))
		for l := range lanes {
			memory := make([]pebble, 1+rng.IntN(20))
			lanes[l] = coalesce.NewLane(unsafe.Pointer(&memory[0]), len(memory))
		}
		want, got := make([][]pebble, len(lanes)), make([][]pebble, len(lanes))
		vs := make([]pebble, rng.IntN(500))
		to := make([]uint32, len(vs))
		for i := range vs {
			vs[i] = pebble{rng.Uint64(), [3]byte{byte(i)}}
			to[i] = uint32(rng.IntN(len(lanes)))
			want[to[i]] = append(want[to[i]], vs[i])
		}
		for len(vs) > 0 {
			put, full := coalesce.Scatter(lanes, to, vs)
			vs, to = vs[put:], to[put:]
			if full >= 0 {
				require.True(t, lanes[full].Full())
				got[full] = append(got[full], coalesce.Pebbles[pebble](&lanes[full])...)
				lanes[full].Reset()
			}
		}
		for l := range lanes {
			got[l] = append(got[l], coalesce.Pebbles[pebble](&lanes[l])...)
		}
		require.Equal(t, want, got)
	}
}

func TestScatterAllocatesNothing(t *testing.T) {
	memory := make([]uint64, 1000)
	lanes := []coalesce.Lane{coalesce.NewLane(unsafe.Pointer(&memory[0]), len(memory))}
	vs, to := make([]uint64, 256), make([]uint32, 256)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		lanes[0].Reset()
		coalesce.Scatter(lanes, to, vs)
	}))
}

func TestDue(t *testing.T) {
	d := coalesce.NewOverdue(10, 2)
	require.False(t, d.Look(0, true, 100))
	require.False(t, d.Look(1, false, 100))
	require.False(t, d.Look(0, true, 109))
	require.True(t, d.Look(0, true, 110))
	d.Left(0)
	require.False(t, d.Look(0, true, 111), "the next pebble starts a new wait")
	require.False(t, d.Look(0, false, 125), "an empty lane is never due")
	require.False(t, d.Look(0, true, 126))
}

func ExampleScatter() {
	memory := make([]int, 4)
	lanes := []coalesce.Lane{
		coalesce.NewLane(unsafe.Pointer(&memory[0]), 2),
		coalesce.NewLane(unsafe.Pointer(&memory[2]), 2),
	}
	put, full := coalesce.Scatter(lanes, []uint32{0, 1, 0, 1}, []int{10, 20, 30, 40})
	fmt.Println(put, "pebbles put, lane", full, "is full:", coalesce.Pebbles[int](&lanes[full]))
	// Output: 3 pebbles put, lane 0 is full: [10 30]
}

func BenchmarkScatter(b *testing.B) {
	for _, n := range []int{2, 16, 256} {
		b.Run(fmt.Sprint(n, " lanes"), func(b *testing.B) {
			memory := make([]uint64, n*1024)
			lanes := make([]coalesce.Lane, n)
			vs, to := make([]uint64, 256), make([]uint32, 256)
			for i := range to {
				to[i] = uint32(i*7) % uint32(n)
			}
			for l := range lanes {
				lanes[l] = coalesce.NewLane(unsafe.Pointer(&memory[l*1024]), 1024)
			}
			for b.Loop() {
				rest, where := vs, to
				for {
					put, full := coalesce.Scatter(lanes, where, rest)
					if full < 0 {
						break
					}
					lanes[full].Reset()
					rest, where = rest[put:], where[put:]
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/pebble")
		})
	}
}
