package container_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// name is a key with strings, padding, and floats. Two of its floats are equal and differ in their bits.
type name struct {
	First, Last string
	Height      float64
	Born        int8
	Of          [2]int32
}

func names(i int) name {
	h := float64(i % 5)
	if h == 0 && i%2 == 0 {
		h *= -1
	}
	return name{First: fmt.Sprint("n", i%10), Last: fmt.Sprint(i / 10), Height: h, Born: int8(i),
		Of: [2]int32{3, int32(i)}}
}

func words(i int) string {
	if i == 0 {
		return "" // the zero key
	}
	return fmt.Sprintf("word %d", i)
}

// sameMap compares the contents of a map with its twin.
func sameMap[K comparable, V any](m *container.Map[K, V], twin map[K]V) error {
	n, err := m.Len()
	if err != nil || n != uint64(len(twin)) {
		return errors.Join(err, fmt.Errorf("%d entries in place of %d", n, len(twin)))
	}
	const root = 0
	all := appstest.Must(m.Gather(root))
	if len(all) > 0 {
		got := map[K]V{}
		for _, e := range all {
			got[e.Key] = e.Value
		}
		if fmt.Sprint(got) != fmt.Sprint(twin) { // Sprint sorts keys, and reflect.DeepEqual distinguishes nil from empty
			return fmt.Errorf("%v in place of %v", got, twin)
		}
	}
	for k, v := range m.LocalAll() {
		if x, ok := m.LocalGet(k); !ok || fmt.Sprint(x) != fmt.Sprint(v) {
			return fmt.Errorf("%v is %v, and the iteration said %v", k, x, v)
		}
	}
	return nil
}

const keys = 300 // that are read

// sameReads compares the values of some keys, of any rank, with the twin of a map.
func sameReads[K comparable, V any](reads *container.Reads[K, V], twin map[K]V, key func(i int) K) {
	ks, found := make([]K, keys), make([]container.Found[V], keys)
	for i := range ks {
		ks[i] = key(i)
	}
	reads.GetMany(ks, found)
	for i, k := range ks {
		want, ok := twin[k]
		if found[i].OK != ok || fmt.Sprint(found[i].Value) != fmt.Sprint(want) {
			panic(fmt.Sprintf("%v is %v in place of %v, %v", k, found[i], want, ok))
		}
		if i%50 == 0 && reads.Contains(k) != ok {
			panic(fmt.Sprintf("Contains says %v of %v", !ok, k))
		}
	}
}

// A counter agrees with a map to numbers, independent of the merges in its cache.
func TestCounterIsGosMap(t *testing.T) {
	t.Run("numbers", func(t *testing.T) {
		counterTwin(t, 2, func(i int) uint64 { return uint64(i) }, (*container.Counter[uint64]).AddAll)
	})
	for _, cache := range []int{0, 1 << 10} {
		t.Run(fmt.Sprintf("words, cache of %d", cache), func(t *testing.T) {
			counterTwin(t, cache, words, func(c *container.Counter[string], ks []string) {
				var buffer []byte
				var ends [][]byte
				for _, k := range ks {
					buffer = append(buffer, k...)
				}
				rest := buffer
				for _, k := range ks {
					ends, rest = append(ends, rest[:len(k)]), rest[len(k):]
				}
				container.AddWords(c, ends)
				for i := range buffer {
					buffer[i] = 'x' // the buffer may be reused
				}
			})
		})
	}
}

func counterTwin[K cmp.Ordered](t *testing.T, cache int, key func(i int) K, add func(c *container.Counter[K], ks []K)) {
	seed := seeds.Of(t)
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		twin := map[K]uint64{}
		for rank := range ranks {
			for _, i := range skewed(seed, rank) {
				twin[key(i)] += 3 // by AddAll, and by Add of 2
			}
		}
		order := func(a, b container.Count[K]) int {
			return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Key, b.Key))
		}
		var want []container.Count[K]
		for k, n := range twin {
			want = append(want, container.Count[K]{Key: k, Value: n})
		}
		slices.SortFunc(want, order)
		return func(r *pebble.Rank) error {
			c := container.NewCounter[K](r, "counter", target.Cache(cache))
			appstest.OK(r.Epoch(func() error { return count(c, seed, r.ID(), key, add) }))
			total, highest := appstest.Must(sum(r, c)), appstest.Must(c.Top(1))
			top, all := appstest.Must(c.TopK(20, order)), appstest.Must(c.TopK(len(twin)+5, order))
			if total != uint64(3*items*ranks) || !slices.Equal(top, want[:20]) || !slices.Equal(all, want) ||
				highest[0].Value != want[0].Value {
				return fmt.Errorf("total %d of %d; %.300v in place of %.300v", total, 3*items*ranks, fmt.Sprint(all),
					fmt.Sprint(want))
			}
			return nil
		}, nil
	})
}

// sum is the sum of all counts.
func sum[K comparable](r *pebble.Rank, c *container.Counter[K]) (total uint64, err error) {
	for _, n := range c.LocalAll() {
		total += n
	}
	return pebble.AllReduce(r, total, pebble.Sum)
}

const items = 5000 // counted by each rank

// skewed returns numbers; small ones are frequent.
func skewed(seed uint64, rank int) (all []int) {
	random := rand.New(rand.NewPCG(seed, uint64(rank)))
	zipf := rand.NewZipf(random, 1.2, 1, 2000)
	for range items {
		all = append(all, int(zipf.Uint64()))
	}
	return all
}

func count[K comparable](c *container.Counter[K], seed uint64, rank int, key func(i int) K,
	add func(c *container.Counter[K], ks []K)) error {
	for some := range slices.Chunk(skewed(seed, rank), 700) {
		var ks []K
		for _, i := range some {
			ks = append(ks, key(i))
			c.Add(key(i), 2)
		}
		add(c, ks)
	}
	return nil
}

func TestForAllSends(t *testing.T) {
	everywhere(t, func(r *pebble.Rank) error {
		words, lengths := container.NewSet[string](r, "words"), container.NewCounter[uint64](r, "lengths")
		appstest.Epoch(r, func() { words.InsertAll([]string{"a", "b", "cc", ""}) })
		appstest.OK(words.ForAll(func(w string, _ struct{}) error {
			lengths.Add(uint64(len(w)), 1)
			return nil
		}))
		inverse := container.Convert(lengths.View, func(length, n uint64) (uint64, uint64) { return n, length })
		top, err := inverse.TopK(1, func(a, b container.Entry[uint64, uint64]) int { return cmp.Compare(b.Key, a.Key) })
		if err != nil || len(top) != 1 || top[0].Key != 2 || top[0].Value != 1 {
			return errors.Join(err, fmt.Errorf("%v", top))
		}
		return nil
	})
}
