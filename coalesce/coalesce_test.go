package coalesce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/coalesce"
)

// Scatter agrees with appends to plain slices, for all sizes, with and without runs for one lane.
func TestScatterAgainstSlices(t *testing.T) {
	type odd struct {
		a uint64
		b [3]byte
	}
	t.Run("24", func(t *testing.T) { scattersAsSlices(t, func(i uint64) odd { return odd{i, [3]byte{byte(i)}} }) })
	t.Run("1", func(t *testing.T) { scattersAsSlices(t, func(i uint64) byte { return byte(i) }) })
	t.Run("8", func(t *testing.T) { scattersAsSlices(t, func(i uint64) uint64 { return i }) })
	t.Run("12", func(t *testing.T) {
		scattersAsSlices(t, func(i uint64) [3]uint32 { return [3]uint32{uint32(i), 1, 2} })
	})
	t.Run("20", func(t *testing.T) {
		scattersAsSlices(t, func(i uint64) [5]uint32 { return [5]uint32{uint32(i), 4: 9} })
	})
	t.Run("36", func(t *testing.T) {
		scattersAsSlices(t, func(i uint64) [9]uint32 { return [9]uint32{uint32(i), 8: 9} })
	})
	t.Run("19", func(t *testing.T) {
		scattersAsSlices(t, func(i uint64) [19]byte { return [19]byte(everyByte(i)[:19]) })
	})
	t.Run("84", func(t *testing.T) {
		scattersAsSlices(t, func(i uint64) [84]byte { return [84]byte(everyByte(i)[:84]) })
	})
	t.Run("128", func(t *testing.T) { scattersAsSlices(t, func(i uint64) [128]byte { return [128]byte(everyByte(i)) }) })
	t.Run("40", func(t *testing.T) { scattersAsSlices(t, func(i uint64) [5]uint64 { return [5]uint64{i, 4: ^i} }) })
	t.Run("240", func(t *testing.T) { scattersAsSlices(t, func(i uint64) [30]uint64 { return [30]uint64{i, 29: ^i} }) })
	t.Run("16", func(t *testing.T) { scattersAsSlices(t, func(i uint64) [2]uint64 { return [2]uint64{i, ^i} }) })
}

// everyByte returns bytes that differ from place to place, and from number to number.
func everyByte(i uint64) []byte {
	all := make([]byte, 128)
	for at := range all {
		all[at] = byte(i>>(8*(at%8))) + byte(at)
	}
	return all
}

func scattersAsSlices[V any](t *testing.T, make1 func(i uint64) V) {
	rng := rand.New(rand.NewPCG(3, 4))
	scatter := coalesce.ScatterOf(int(unsafe.Sizeof(make1(0))))
	for round := range 1000 {
		lanes := make([]coalesce.Lane, 1+rng.IntN(5))
		memory := make([][]V, len(lanes)) // with one more pebble, which must not change
		last := make1(1 << 60)
		for l := range lanes {
			memory[l] = make([]V, 2+rng.IntN(100))
			room := len(memory[l]) - 1
			memory[l][room] = last
			lanes[l] = coalesce.NewLane(unsafe.Pointer(&memory[l][0]), room)
		}
		want, got := make([][]V, len(lanes)), make([][]V, len(lanes))
		vs := make([]V, rng.IntN(500))
		to := make([]uint32, len(vs))
		for i := range vs {
			vs[i] = make1(rng.Uint64())
			if to[i] = uint32(rng.IntN(len(lanes))); i > 0 && round%2 == 0 && rng.IntN(10) > 0 {
				to[i] = to[i-1]
			}
			want[to[i]] = append(want[to[i]], vs[i])
		}
		for len(vs) > 0 {
			put, full := scatter(lanes, to, unsafe.Pointer(&vs[0]))
			vs, to = vs[put:], to[put:]
			if full >= 0 {
				require.True(t, lanes[full].Full())
				got[full] = append(got[full], inLane[V](&lanes[full])...)
				lanes[full].Reset()
			}
		}
		for l := range lanes {
			require.Equal(t, last, memory[l][len(memory[l])-1])
			got[l] = append(got[l], inLane[V](&lanes[l])...)
		}
		require.Equal(t, want, got)
	}
}

// inLane returns the pebbles of a lane.
func inLane[V any](l *coalesce.Lane) []V { return unsafe.Slice((*V)(l.Base()), l.Len()) }

func TestScatterAllocatesNothing(t *testing.T) {
	memory := make([]uint64, 1000)
	lanes := []coalesce.Lane{coalesce.NewLane(unsafe.Pointer(&memory[0]), len(memory))}
	vs, to, scatter := make([]uint64, 256), make([]uint32, 256), coalesce.ScatterOf(8)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		lanes[0].Reset()
		scatter(lanes, to, unsafe.Pointer(&vs[0]))
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
	scatter := coalesce.ScatterOf(8)
	put, full := scatter(lanes, []uint32{0, 1, 0, 1}, unsafe.Pointer(&[]int{10, 20, 30, 40}[0]))
	fmt.Println(put, "pebbles put, lane", full, "is full:", inLane[int](&lanes[full]))
	// Output: 3 pebbles put, lane 0 is full: [10 30]
}

func BenchmarkScatter(b *testing.B) {
	scatters[uint32](b)
	scatters[uint64](b)
	scatters[[2]uint64](b)
	scatters[[4]uint64](b)
	scatters[[16]uint64](b)
}

// scatters times pebbles of a type over numbers of lanes, at random or all to the same.
func scatters[V any](b *testing.B) {
	const room = 1024
	for _, n := range []int{1, 2, 4, 16, 256} {
		b.Run(fmt.Sprintf("%d bytes, %d lanes", unsafe.Sizeof(*new(V)), n), func(b *testing.B) {
			memory, lanes := make([]V, max(2, n)*room), make([]coalesce.Lane, max(2, n))
			vs, to, scatter := make([]V, 256), make([]uint32, 256), coalesce.ScatterOf(int(unsafe.Sizeof(*new(V))))
			rng := rand.New(rand.NewPCG(5, 6))
			for i := range to {
				to[i] = uint32(rng.IntN(n))
			}
			for l := range lanes {
				lanes[l] = coalesce.NewLane(unsafe.Pointer(&memory[l*room]), room)
			}
			for b.Loop() {
				rest, where := vs, to
				for {
					put, full := scatter(lanes, where, unsafe.Pointer(unsafe.SliceData(rest)))
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
