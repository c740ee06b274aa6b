package addresses

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cornelk/hashmap"
	"github.com/puzpuzpuz/xsync/v4"
	"github.com/stretchr/testify/require"
)

// Faults of the library, the reason why a table calls Get and Set alone. If this test fails, the library has improved:
// see docs/dependencies.md.
func TestFaultsOfHashmap(t *testing.T) {
	lost := 0
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		m, keys := hashmap.NewSized[uint64, int](16), make([]uint64, 8)
		for i := range keys {
			keys[i] = random.Uint64()
			m.GetOrInsert(keys[i], i)
		}
		for _, key := range keys {
			if _, found := m.Get(key); !found {
				lost++
			}
		}
	}
	require.NotZero(t, lost, "GetOrInsert keeps its keys now")

	m := hashmap.NewSized[uint64, int](16)
	m.GetOrInsert(1, 1)
	require.True(t, m.Del(1))
	left := 0
	m.Range(func(uint64, int) bool { left++; return true })
	require.Equal(t, 1, left, "Del takes out all that GetOrInsert has put in now")
}

// direct is a direct-mapped table: a key has one slot, and replaces another key there.
type direct struct {
	slots []atomic.Pointer[directEntry]
}

type directEntry struct {
	key uint64
	v   *int
}

func (d *direct) slot(key uint64) *atomic.Pointer[directEntry] {
	return &d.slots[key*0x9e3779b97f4a7c15>>32%uint64(len(d.slots))]
}

// Reads beside a writer, of the library and of alternatives.
func BenchmarkGet(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = uint64(1+i%7)<<indexBits | uint64(i+1)
		}
		v := new(int)
		table, synced := NewTable[int](n), new(sync.Map)
		x, d := xsync.NewMap[uint64, *int](xsync.WithPresize(n)), &direct{make([]atomic.Pointer[directEntry], 2*n)}
		for name, way := range map[string]struct {
			set func(key uint64)
			get func(key uint64) *int
		}{
			"table": {func(key uint64) { table.Set(key, v) }, table.Get},
			"sync": {func(key uint64) { synced.Store(key, v) },
				func(key uint64) *int { v, _ := synced.Load(key); return v.(*int) }},
			"xsync": {func(key uint64) { x.Store(key, v) }, func(key uint64) *int { v, _ := x.Load(key); return v }},
			"direct": {func(key uint64) { d.slot(key).Store(&directEntry{key, v}) }, func(key uint64) *int {
				if e := d.slot(key).Load(); e.key == key {
					return e.v
				}
				return nil
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for _, key := range keys {
					way.set(key)
				}
				var done atomic.Bool
				var writer sync.WaitGroup
				writer.Go(func() {
					for i := 0; !done.Load(); i++ {
						way.set(keys[i%n])
					}
				})
				b.ResetTimer()
				for i := range b.N {
					if way.get(keys[i%n]) == nil && name != "direct" {
						b.Fatal("a key is lost")
					}
				}
				b.StopTimer()
				done.Store(true)
				writer.Wait()
			})
		}
	}
}

// indexBits is the size of an index in a handle of package memory, the source of keys.
const indexBits = 32
