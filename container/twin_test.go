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
	"github.com/activepebbles/pebbles/task"
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

const (
	rounds = 4
	keys   = 300 // number of keys that operations draw from
)

// operation is an operation of some rank in a round, on a key that no other operation of the round uses.
type operation struct{ key, what, value int }

// drawn returns the operations of a rank in a round: each rank can draw those of all others.
func drawn(seed uint64, rank, ranks, round int) (all []operation) {
	random := rand.New(rand.NewPCG(seed, uint64(round)))
	for key := range keys {
		o := operation{key, random.IntN(7), random.IntN(1000)}
		if (key+round)%ranks == rank && random.IntN(3) > 0 {
			all = append(all, o)
		}
	}
	return all
}

// A map agrees with Go's map after any operations: on each number of ranks, over each transport, and in simulated
// worlds.
func TestMapIsGosMap(t *testing.T) {
	t.Run("numbers", func(t *testing.T) {
		mapTwin(t, func(i int) uint64 { return uint64(i) << 40 }, func(i int) uint64 { return uint64(i) })
	})
	t.Run("strings", func(t *testing.T) { mapTwin(t, words, words) })
	t.Run("structs", func(t *testing.T) { mapTwin(t, names, func(i int) []string { return []string{words(i), ""} }) })
}

func words(i int) string {
	if i == 0 {
		return "" // the zero key
	}
	return fmt.Sprintf("word %d", i)
}

func mapTwin[K comparable, V any](t *testing.T, key func(i int) K, value func(i int) V) {
	seed := seeds.Of(t)
	everywhere(t, func(r *pebble.Rank) error { return mapRounds(r, seed, key, value) })
}

func mapRounds[K comparable, V any](r *pebble.Rank, seed uint64, key func(i int) K, value func(i int) V) error {
	s := task.New(r)
	m := container.NewMap[K, V](r, "map")
	either := m.NewReducer("either", func(held, next V) V { return held })
	visit := container.NewVisitor(m, "visit", func(_ K, v *V, arg uint64) { *v = value(int(arg)) })
	find := container.NewFinder(m, "find", func(_ K, v *V, arg uint64) { *v = value(int(arg)) })
	reads := container.NewReads(m, s)
	twin := map[K]V{}
	for round := range rounds {
		for rank := range r.Size() {
			for _, o := range drawn(seed, rank, r.Size(), round) {
				k, v := key(o.key), value(o.value)
				switch _, there := twin[k]; {
				case o.what == 0 || o.what == 4, o.what == 5 && there, (o.what == 1 || o.what == 6) && !there:
					twin[k] = v
				case o.what == 2:
					delete(twin, k)
				}
			}
		}
		appstest.Epoch(r, func() {
			for _, o := range drawn(seed, r.ID(), r.Size(), round) {
				k, v := key(o.key), value(o.value)
				switch o.what {
				case 0:
					m.PutAll([]container.Entry[K, V]{{Key: k, Value: v}})
				case 1:
					m.Insert(k, v)
				case 2:
					m.Delete(k)
				case 4:
					visit.Send(k, uint64(o.value))
				case 5:
					find.SendAll([]container.Entry[K, uint64]{{Key: k, Value: uint64(o.value)}})
				case 6:
					either.Reduce(k, v)
				}
			}
		})
		if err := sameMap(m, twin); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		appstest.OK(s.Run(func() { sameReads(reads, twin, key) }))
	}
	appstest.OK(m.Clear())
	return sameMap(m, map[K]V{})
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
			total, err := sum(r, c)
			top, err2 := c.TopK(20, order)
			all, err3 := c.TopK(len(twin)+5, order)
			highest, err4 := c.Top(1)
			appstest.OK(errors.Join(err, err2, err3, err4))
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
