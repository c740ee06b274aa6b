package distribution_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
)

// A world is some ranks with their directories, and all messages between them, delivered in any order.
type world struct {
	t       *testing.T
	rng     *rand.Rand
	ranks   []*distribution.Directory
	keys    uint64
	transit []message
	owner   map[uint64]int // owner of each key, or -1 between two
	arrived int
}

// message is a message on its way to rank to: a pebble unless version is set; then the key itself if adopt is set, and
// news that the key is at rank at otherwise.
type message struct {
	to      int
	key     uint64
	version uint64
	adopt   bool
	at      int
}

func newWorld(t *testing.T, rng *rand.Rand) *world {
	ranks, keys := 1+rng.IntN(7), 1+rng.Uint64N(5)
	bases := []distribution.Map{distribution.Block(keys, ranks), distribution.Hash(ranks),
		distribution.Cyclic(keys, ranks)}
	base := bases[rng.IntN(len(bases))]
	w := &world{t: t, rng: rng, keys: keys, owner: map[uint64]int{}}
	for rank := range ranks {
		w.ranks = append(w.ranks, distribution.NewDirectory(base, rank))
	}
	for key := range keys {
		w.owner[key] = base.Owner(key)
	}
	return w
}

func (w *world) anyRank() int { return w.rng.IntN(len(w.ranks)) }

func (w *world) post(m message) { w.transit = append(w.transit, m) }

// move gives a key to another rank, and spreads the news to no rank, to some or to its home.
func (w *world) move() {
	key, to := w.rng.Uint64N(w.keys), w.anyRank()
	from := w.owner[key]
	if from < 0 || to == from {
		return
	}
	version := w.ranks[from].Release(key, to)
	w.owner[key] = -1
	w.post(message{to: to, key: key, version: version, adopt: true})
	for range w.rng.IntN(4) {
		w.post(message{to: w.anyRank(), key: key, version: version, at: to})
	}
	if w.rng.IntN(2) == 0 {
		w.post(message{to: w.ranks[to].Home(key), key: key, version: version, at: to})
	}
}

// deliver takes any one message out of transit and hands it to its rank.
func (w *world) deliver() {
	if len(w.transit) == 0 {
		return
	}
	i, last := w.rng.IntN(len(w.transit)), len(w.transit)-1
	m := w.transit[i]
	w.transit[i] = w.transit[last]
	w.transit = w.transit[:last]
	rank := w.ranks[m.to]
	switch {
	case m.adopt:
		rank.Adopt(m.key, m.version)
		w.owner[m.key] = m.to
	case m.version > 0:
		rank.Learn(m.key, m.at, m.version)
	case rank.Owns(m.key):
		w.arrived++
	default:
		w.post(message{to: rank.Owner(m.key), key: m.key})
	}
}

// check compares the ranks' own view with the truth.
func (w *world) check() {
	keys, owners := make([]uint64, w.keys), make([]uint32, w.keys)
	for key := range w.keys {
		keys[key] = key
	}
	for self, d := range w.ranks {
		require.Equal(w.t, -1, d.Owners(keys, owners))
		for key, owner := range owners {
			if d.Owns(uint64(key)) != (w.owner[uint64(key)] == self) {
				require.Failf(w.t, "wrong owner", "rank %d, key %d, truth %d", self, key, w.owner[uint64(key)])
			}
			if int(owner) != d.Owner(uint64(key)) {
				require.Failf(w.t, "Owners is not Owner", "rank %d, key %d", self, key)
			}
		}
	}
}

// hops counts the hops of a pebble from rank to the owner of key.
func (w *world) hops(rank int, key uint64) (n int) {
	for ; !w.ranks[rank].Owns(key); n++ {
		if n >= len(w.ranks) {
			require.Failf(w.t, "pebble goes in circles", "key %d from rank %d", key, rank)
		}
		rank = w.ranks[rank].Owner(key)
	}
	return n
}

// TestDirectoryLosesNothing moves keys, chases them with pebbles and reorders all.
func TestDirectoryLosesNothing(t *testing.T) {
	rng := seeded(t)
	for range 1500 {
		w := newWorld(t, rng)
		pebbles, moves := 0, 1+rng.IntN(6)
		for range 150 {
			switch w.rng.IntN(moves + 6) {
			case 0:
				pebbles++
				w.post(message{to: w.anyRank(), key: w.rng.Uint64N(w.keys)})
			case 1, 2, 3, 4, 5:
				w.deliver()
			default:
				w.move()
			}
			w.check()
		}
		w.settle()
		require.Equal(t, pebbles, w.arrived, "pebbles lost")
	}
}

// settle delivers all news and keys, then the pebbles with a limit on their hops.
func (w *world) settle() {
	var pebbles []message
	for len(w.transit) > 0 {
		if m := w.transit[0]; m.version == 0 {
			pebbles, w.transit = append(pebbles, m), w.transit[1:]
			continue
		}
		rest := w.transit
		w.transit = rest[:1:1]
		w.deliver()
		w.transit = append(w.transit, rest[1:]...)
	}
	w.check()
	for _, m := range pebbles {
		w.hops(m.to, m.key)
		w.arrived++
	}
	for key := range w.keys {
		require.GreaterOrEqual(w.t, w.owner[key], 0)
		for rank := range w.ranks {
			require.Less(w.t, w.hops(rank, key), len(w.ranks))
		}
	}
}

func TestDirectoryNews(t *testing.T) {
	base := distribution.Block(10, 5) // key 0 is at home at rank 0
	home, former := distribution.NewDirectory(base, 0), distribution.NewDirectory(base, 1)

	require.True(t, home.Owns(0))
	require.Equal(t, uint64(1), home.Release(0, 1))
	require.False(t, home.Owns(0))
	require.Equal(t, 1, home.Owner(0))

	former.Learn(0, 1, 1) // news overtakes the key: it is not here yet
	require.False(t, former.Owns(0))
	require.Equal(t, 0, former.Owner(0))
	former.Adopt(0, 1)
	require.True(t, former.Owns(0))
	former.Learn(0, 4, 9) // the owner ignores news
	require.True(t, former.Owns(0))
}

func TestDirectoryStaleNewsIsIgnored(t *testing.T) {
	d := distribution.NewDirectory(distribution.Block(10, 5), 2)
	d.Learn(0, 4, 7)
	d.Learn(0, 3, 6)
	d.Learn(0, 3, 7)
	require.Equal(t, 4, d.Owner(0))
	d.Learn(0, 3, 8)
	require.Equal(t, 3, d.Owner(0))
	require.Equal(t, 0, d.Home(0))
	require.Negative(t, d.Owner(10))
	require.False(t, d.Owns(10))

	owners := make([]uint32, 4)
	require.Equal(t, 3, d.Owners([]uint64{0, 1, 9, 10}, owners))
	require.Equal(t, []uint32{3, 0, 4}, owners[:3])
}

func TestDirectoryMisuse(t *testing.T) {
	d := distribution.NewDirectory(distribution.Block(10, 5), 0)
	require.Panics(t, func() { d.Release(9, 1) }, "not owned")
	require.Panics(t, func() { d.Release(10, 1) }, "outside")
	require.Panics(t, func() { d.Release(0, 0) }, "to itself")
	require.Panics(t, func() { d.Release(0, 5) }, "to nobody")
	require.True(t, d.Owns(0))
	d.Release(0, 1)
	require.Panics(t, func() { d.Release(0, 1) }, "released twice")
	require.Panics(t, func() { d.Adopt(0, 1) }, "its own move comes back")
	d.Adopt(0, 2)
	require.Panics(t, func() { d.Adopt(0, 2) }, "adopted twice")
	require.Panics(t, func() { d.Learn(9, 5, 1) }, "at nobody")
}

// Keys keep their places in any order of moves and searches: consecutive, backwards and in steps over pages.
func TestDirectoryPages(t *testing.T) {
	const keys, ranks = 997, 3 // a prime: each step meets all keys
	d, twin := distribution.NewDirectory(distribution.Cyclic(keys, ranks), 0), map[uint64]int{}
	version := map[uint64]uint64{}
	for _, step := range []uint64{1, keys - 1, 7, 8, 9, 64, 1} {
		for i := range uint64(keys) {
			key := i * step % keys
			switch {
			case i%5 == 0: // stays
			case d.Owns(key):
				twin[key] = 1 + int(i%2)
				version[key] = d.Release(key, twin[key])
			default:
				version[key] += 2
				d.Adopt(key, version[key])
				twin[key] = 0
			}
		}
		for i := range uint64(keys) {
			key := i * step % keys
			want, moved := twin[key]
			if !moved {
				want = int(key % ranks)
			}
			require.Equal(t, want, d.Owner(key), "key %d after steps of %d", key, step)
		}
	}
}
