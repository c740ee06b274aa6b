package container

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// A table agrees with Go's map, also if all keys share a few hashes: keys are compared, hashes never.
func TestHashTableIsGosMap(t *testing.T) {
	for name, number := range map[string]hasher{
		"own hashes": hasherOf[uint8](),
		"four hashes": func(keys unsafe.Pointer, n int, numbers []uint64) {
			for i, k := range unsafe.Slice((*uint8)(keys), n) {
				numbers[i] = uint64(k % 4)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				table, twin := newTable[uint8, int](number), map[uint8]int{}
				t.Repeat(map[string]func(t *rapid.T){
					"put": func(t *rapid.T) {
						k, v := rapid.Uint8().Draw(t, "key"), rapid.Int().Draw(t, "value")
						at, key, added := put(table, k)
						_, there := twin[k]
						require.Equal(t, !there, added)
						require.Equal(t, k, *key)
						require.Equal(t, twin[k], *at) // zero if the key was not there, also after a delete
						*at, twin[k] = v, v
					},
					"remove": func(t *rapid.T) {
						k := rapid.Uint8().Draw(t, "key")
						_, there := twin[k]
						require.Equal(t, there, remove(table, k, hashOf(table, k)))
						delete(twin, k)
					},
					"clear": func(t *rapid.T) {
						if rapid.IntRange(0, 20).Draw(t, "chance") == 0 {
							clearTable(table)
							clear(twin)
						}
					},
					"": func(t *rapid.T) {
						require.Equal(t, len(twin), length(table))
						got := map[uint8]int{}
						each(table, func(k uint8, v *int) bool {
							require.NotContains(t, got, k)
							got[k] = *v
							return true
						})
						require.Equal(t, twin, got)
						for k := range 256 {
							v, _ := find(table, uint8(k), hashOf(table, uint8(k)))
							_, there := twin[uint8(k)]
							require.Equal(t, there, v != nil)
						}
					},
				})
			})
		})
	}
}

// A table agrees with Go's map while it grows, and while keys that probe past each other come and go at the highest
// load.
func TestFullHashTableIsGosMap(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	table, twin := newTable[uint64, uint64](hasherOf[uint64]()), map[uint64]uint64{}
	for i := range uint64(200_000) {
		keys := 1 << (4 + i*8/200_000) // increasing; three in four of them are there
		k := random.Uint64N(uint64(keys))
		if random.IntN(4) == 0 {
			_, there := twin[k]
			require.Equal(t, there, remove(table, k, hashOf(table, k)))
			delete(twin, k)
			continue
		}
		v, _, _ := put(table, k)
		require.LessOrEqual(t, 4*table.used, 3*len(table.slots))
		require.Equal(t, twin[k], *v)
		*v, twin[k] = i, i
		if i%512 == 0 {
			require.Equal(t, len(twin), length(table))
			for k, v := range twin {
				at, _ := find(table, k, hashOf(table, k))
				require.NotNil(t, at)
				require.Equal(t, v, *at)
			}
		}
	}
}

func hasherOf[K comparable]() hasher {
	h, err := newHasher(reflect.TypeFor[K]())
	if err != nil {
		panic(err)
	}
	return h
}

// put makes room for a key, and adds it.
func put[K comparable, V any](table *hashTable[K, V], k K) (v *V, key *K, added bool) {
	if slots := lacks(table, 1); slots > 0 {
		grow(table, slots)
	}
	return entryAt(table, k, hashOf(table, k))
}

func newTable[K comparable, V any](number hasher) *hashTable[K, V] {
	return &hashTable[K, V]{number: number}
}

func numberOfOne[K comparable](k K) (n uint64) {
	hasherOf[K]()(unsafe.Pointer(&k), 1, unsafe.Slice(&n, 1))
	return n
}

// Keys that are equal in Go have one number, for all contents of padding and blank fields.
func TestEqualKeysHaveEqualNumbers(t *testing.T) {
	zero := 0.0
	require.Equal(t, numberOfOne(zero), numberOfOne(-zero*1))
	require.Equal(t, numberOfOne(zero), numberOfOne(math.Copysign(0, -1)))
	require.Equal(t, numberOfOne([2]float32{0, 1}), numberOfOne([2]float32{float32(math.Copysign(0, -1)), 1}))
	require.Equal(t, numberOfOne(complex(0, 0)), numberOfOne(complex(math.Copysign(0, -1), 0)))

	type padded struct {
		A int8
		_ int16
		B int64
		C string
	}
	a, b := [2]padded{}, [2]padded{}
	for i := range a {
		bytes := as[[unsafeSize]byte](a[i : i+1])
		for j := 1; j < 8; j++ {
			bytes[0][j] = 0xFF // padding, and blank fields
		}
		a[i].C, b[i].C = "text", string([]byte("text"))
	}
	require.True(t, a == b)
	require.Equal(t, numberOfOne(a), numberOfOne(b))
}

const unsafeSize = 32 // of padded

func TestOtherKeysHaveOtherNumbers(t *testing.T) {
	type key struct{ A, B string }
	seen := map[uint64]key{}
	for _, k := range []key{{}, {"a", ""}, {"", "a"}, {"ab", "c"}, {"a", "bc"}, {"b", "a"}, {"a", "b"}} {
		n := numberOfOne(k)
		require.NotContains(t, seen, n, "%v and %v", k, seen[n])
		seen[n] = k
	}
}

func TestKeysThatDifferOnEachRankAreRefused(t *testing.T) {
	type deep struct {
		Name string
		In   [2]struct{ At *int }
	}
	_, err := newHasher(reflect.TypeFor[deep]())
	require.ErrorContains(t, err, "container.deep.In.At of type *int, an address that differs between ranks")
	_, err = newHasher(reflect.TypeFor[any]())
	require.ErrorContains(t, err, "use keys of numbers and strings")
	_, err = newHasher(reflect.TypeFor[chan int]())
	require.Error(t, err)
}

// Slots of sequential keys, of multiples, and of floats are spread like random ones: the longest probe of half-full
// tables is short.
func TestPlacesAreSpread(t *testing.T) {
	const n = 1 << 14
	longest := func(key func(i int) uint64) int {
		table := newTable[uint64, int](hasherOf[uint64]())
		grow(table, 2*n)
		for i := range n {
			entryAt(table, key(i), hashOf(table, key(i)))
		}
		longest, length := 0, 0
		for _, s := range table.slots {
			if length++; s.key == 0 {
				length = 0
			}
			longest = max(longest, length)
		}
		return longest
	}
	for name, key := range map[string]func(i int) uint64{
		"in a row":     func(i int) uint64 { return uint64(i) + 1 },
		"high bits":    func(i int) uint64 { return uint64(i+1) << 40 },
		"multiples":    func(i int) uint64 { return uint64(i+1) * 4096 },
		"floats":       func(i int) uint64 { return math.Float64bits(float64(i + 1)) },
		"two halves":   func(i int) uint64 { return uint64(i+1)<<32 | uint64(i+1) },
		"pairs of low": func(i int) uint64 { return uint64(i%128+1)<<32 | uint64(i/128) },
	} {
		require.Less(t, longest(key), 150, name) // random keys: about 60 to 90
	}
}

// The cost of a batch of keys in a table that has them, and in Go's map.
func BenchmarkHashTable(b *testing.B) {
	for _, keys := range []int{1 << 12, 1 << 18, 1 << 22} {
		ks := make([]uint64, 1<<20)
		random := rand.New(rand.NewPCG(1, 1))
		for i := range ks {
			ks[i] = spread(uint64(random.IntN(keys)))
		}
		b.Run(fmt.Sprintf("%d keys, table", keys), func(b *testing.B) {
			table := newTable[uint64, uint64](hasherOf[uint64]())
			grow(table, lacks(table, keys))
			var hashes [chunk]uint64
			for i := 0; b.Loop(); i = (i + chunk) % len(ks) {
				batch := ks[i : i+chunk]
				hashesOf(table, batch, hashes[:])
				fetched(table, hashes[:], func(from, to int) {
					for j := from; j < to; j++ {
						n, _, _ := entryAt(table, batch[j], hashes[j])
						*n++
					}
				})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunk, "ns/key")
		})
		b.Run(fmt.Sprintf("%d keys, map", keys), func(b *testing.B) {
			table := make(map[uint64]uint64, keys)
			for i := 0; b.Loop(); i = (i + chunk) % len(ks) {
				for _, k := range ks[i : i+chunk] {
					table[k]++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunk, "ns/key")
		})
	}
}
