package distribution_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
)

// full is the interface of a ready-made distribution with local indices.
type full interface {
	distribution.Indexed
	distribution.Batcher
	distribution.Describer
}

var (
	_ full = (*distribution.BlockMap)(nil)
	_ full = (*distribution.CyclicMap)(nil)
	_ full = (*distribution.BlockCyclicMap)(nil)
	_ full = (*distribution.ShuffledMap)(nil)
	_ full = (*distribution.TableMap)(nil)
	_ full = (*distribution.TileMap)(nil)
)

// constantSpace returns the distributions that take any n.
func constantSpace(n uint64, ranks int) []full {
	return []full{
		distribution.Block(n, ranks),
		distribution.Cyclic(n, ranks),
		distribution.BlockCyclic(n, ranks, 1),
		distribution.BlockCyclic(n, ranks, 7),
		distribution.BlockCyclic(n, ranks, 64),
		distribution.BlockCyclic(n, ranks, max(1, n/3)),
		distribution.Shuffled(n, ranks, 0),
		distribution.Shuffled(n, ranks, math.MaxUint64),
	}
}

// TestStaticAgainstTable builds a plain table of every key and compares all answers.
func TestStaticAgainstTable(t *testing.T) {
	rng := seeded(t)
	for _, n := range []uint64{0, 1, 2, 3, 5, 8, 17, 64, 100, 127, 1000, 1009, 4096, 4099} {
		for _, ranks := range []int{1, 2, 3, 4, 7, 8, 16, 61, 1021} {
			owners := make([]int, n)
			for i := range owners {
				owners[i] = rng.IntN(ranks)
			}
			for _, m := range append(constantSpace(n, ranks), distribution.Table(owners, ranks)) {
				requireSound(t, m, n, ranks)
			}
			table := distribution.Table(owners, ranks)
			for key, owner := range owners {
				if table.Owner(uint64(key)) != owner {
					require.Failf(t, "table", "key %d is owned by %d, not %d", key, table.Owner(uint64(key)), owner)
				}
			}
		}
	}
}

func requireSound(t *testing.T, m full, n uint64, ranks int) {
	name := m.Describe()
	require.Equal(t, ranks, m.Ranks(), name)
	require.Equal(t, n, m.Len(), name)

	data := make([][]uint64, ranks) // data of each rank: at each local index, the key + 1
	total := uint64(0)
	for rank := range data {
		data[rank] = make([]uint64, m.LocalLen(rank))
		total += uint64(len(data[rank]))
	}
	require.Equal(t, n, total, name)
	for key := range n {
		owner, local := m.Owner(key), m.Local(key)
		if data[owner][local] != 0 { // panics if out of range
			require.Failf(t, "two keys in one place", "%s: %d and %d", name, key, data[owner][local]-1)
		}
		data[owner][local] = key + 1
		if back := m.Key(owner, local); back != key {
			require.Failf(t, "not the inverse", "%s: key %d comes back as %d", name, key, back)
		}
	}
	for _, key := range []uint64{n, n + 1, n + 1000, 2*n + 1, 1 << 63, math.MaxUint64} {
		require.Negative(t, m.Owner(key), name)
		require.Panics(t, func() { m.Local(key) }, name)
	}
	require.Panics(t, func() { m.LocalLen(ranks) }, name)
	require.Panics(t, func() { m.LocalLen(-1) }, name)
	requireOwners(t, m, n)
}

// requireOwners compares the batch with single calls, with and without a key outside.
func requireOwners(t *testing.T, m full, n uint64) {
	name := m.Describe()
	keys := make([]uint64, min(n, 700))
	for i := range keys {
		keys[i] = uint64(i) * (n / uint64(len(keys)))
	}
	owners := make([]uint32, len(keys)+1)
	require.Equal(t, -1, m.Owners(keys, owners), name)
	requireSame(t, m, keys, owners)
	for i := 0; i < len(keys); i += 1 + len(keys)/5 {
		inside := keys[i]
		keys[i] = max(n, n+uint64(i)) // n itself where the sum overflows
		clear(owners)
		require.Equal(t, i, m.Owners(keys, owners), name)
		requireSame(t, m, keys[:i], owners)
		keys[i] = inside
	}
}

func requireSame(t *testing.T, m full, keys []uint64, owners []uint32) {
	for i, key := range keys {
		if int(owners[i]) != m.Owner(key) {
			require.Failf(t, "Owners is not Owner", "%s: key %d", m.Describe(), key)
		}
	}
}

// TestStaticOfHugeLength uses random keys, as a table of all keys does not fit.
func TestStaticOfHugeLength(t *testing.T) {
	rng := seeded(t)
	for _, n := range []uint64{1<<40 + 1, 1<<62 - 57, 1<<63 - 25, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 58,
		math.MaxUint64} {
		for _, ranks := range []int{4, 5, 16, 1000, math.MaxInt32} {
			for _, m := range constantSpace(n, ranks) {
				for range 100 {
					requireRoundTrip(t, m, rng.Uint64N(n))
				}
				requireRoundTrip(t, m, 0)
				requireRoundTrip(t, m, n-1)
				requireOwners(t, m, n)
				if ranks <= 1000 {
					requireLengths(t, m, n, ranks)
				}
			}
		}
	}
}

func requireRoundTrip(t *testing.T, m full, key uint64) {
	owner, local := m.Owner(key), m.Local(key)
	if owner < 0 || owner >= m.Ranks() || local < 0 || local >= m.LocalLen(owner) || m.Key(owner, local) != key {
		require.Failf(t, "no round trip", "%s: key %d has owner %d, local index %d", m.Describe(), key, owner, local)
	}
}

// requireLengths also checks the last key of every rank.
func requireLengths(t *testing.T, m full, n uint64, ranks int) {
	total := uint64(0)
	for rank := range ranks {
		length := m.LocalLen(rank)
		total += uint64(length)
		if length > 0 {
			requireRoundTrip(t, m, m.Key(rank, length-1))
		}
	}
	require.Equal(t, n, total, m.Describe())
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(1000), uint16(4), uint64(3), uint64(999))
	f.Fuzz(func(t *testing.T, n uint64, ranks uint16, block, key uint64) {
		n, ranks = n>>1|1, ranks|1
		key %= n
		requireRoundTrip(t, distribution.Block(n, int(ranks)), key)
		requireRoundTrip(t, distribution.Cyclic(n, int(ranks)), key)
		requireRoundTrip(t, distribution.BlockCyclic(n, int(ranks), block|1), key)
		requireRoundTrip(t, distribution.Shuffled(n, int(ranks), block), key)
	})
}

func TestShapes(t *testing.T) {
	owners := func(m distribution.Indexed) (all []int) {
		for key := range m.Len() {
			all = append(all, m.Owner(key))
		}
		return all
	}
	require.Equal(t, []int{0, 0, 1, 1, 2, 2, 3}, owners(distribution.Block(7, 4)))
	require.Equal(t, []int{0, 1, 2, 3, 0, 1, 2}, owners(distribution.Cyclic(7, 4)))
	require.Equal(t, []int{0, 0, 1, 1, 2, 2, 0}, owners(distribution.BlockCyclic(7, 3, 2)))
	require.Equal(t, []int{0, 1, 2, 3, 4}, owners(distribution.Ranks(5)))
	require.Equal(t, []int{2, 0, 2}, owners(distribution.Table([]int{2, 0, 2}, 4)))
}

func TestRanksAreKeys(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 7, 1024, math.MaxInt32} {
		m := distribution.Ranks(ranks)
		for _, rank := range []int{0, ranks / 2, ranks - 1} {
			require.Equal(t, rank, m.Owner(uint64(rank)))
			require.Zero(t, m.Local(uint64(rank)))
			require.Equal(t, 1, m.LocalLen(rank))
			require.EqualValues(t, rank, m.Key(rank, 0))
		}
		require.Negative(t, m.Owner(uint64(ranks)))
		require.True(t, distribution.Proven(m))
	}
}

func TestDescriptions(t *testing.T) {
	for want, m := range map[string]distribution.Describer{
		"block(n=7, ranks=4)":                distribution.Block(7, 4),
		"cyclic(n=7, ranks=4)":               distribution.Cyclic(7, 4),
		"blockcyclic(n=7, ranks=4, block=2)": distribution.BlockCyclic(7, 4, 2),
		"shuffled(n=7, ranks=4, seed=9)":     distribution.Shuffled(7, 4, 9),
		"hash(ranks=4)":                      distribution.Hash(4),
		"tiles(rows=7, columns=9, grid=2x3)": distribution.Tiles(7, 9, 6),
		"tiles(rows=7, columns=9, grid=6x1)": distribution.Rows(7, 9, 6),
		"directory(hash(ranks=4))":           distribution.NewDirectory(distribution.Hash(4), 1),
		"directory(ranks=3)":                 distribution.NewDirectory(modulo{}, 1),
	} {
		require.Equal(t, want, m.Describe())
	}
	one := distribution.Table([]int{0, 1, 0}, 2).Describe()
	require.Equal(t, one, distribution.Table([]uint32{0, 1, 0}, 2).Describe())
	require.NotEqual(t, one, distribution.Table([]int{0, 0, 1}, 2).Describe())
}

func TestBadArgumentsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"no ranks":     func() { distribution.Block(1, 0) },
		"ranks":        func() { distribution.Ranks(0) },
		"few ranks":    func() { distribution.Hash(-1) },
		"many ranks":   func() { distribution.Cyclic(1, math.MaxInt32+1) },
		"block":        func() { distribution.Block(1<<63, 1) },
		"cyclic":       func() { distribution.Cyclic(1<<63, 1) },
		"shuffled":     func() { distribution.Shuffled(1<<63, 1, 0) },
		"block-cyclic": func() { distribution.BlockCyclic(1<<63+5, 2, 1<<63) },
		"empty block":  func() { distribution.BlockCyclic(1, 1, 0) },
		"table entry":  func() { distribution.Table([]int{0, 3}, 3) },
		"matrix":       func() { distribution.Tiles(1<<32, 1<<32, 4) },
		"large tile":   func() { distribution.Rows(1<<32, 1<<31, 1) },
		"no such tile": func() { distribution.Rows(8, 8, 2).Tile(2) },
		"negative":     func() { distribution.Table([]int{0, -1}, 3) },
		"shuffled key": func() { distribution.Shuffled(10, 3, 0).Key(2, 3) },
		"no such self": func() { distribution.NewDirectory(distribution.Hash(2), 2) },
	} {
		func() {
			defer func() { require.Contains(t, recover(), "distribution: ", name) }()
			f()
		}()
	}
}

// modulo is a user's distribution with the methods of Map alone.
type modulo struct{}

func (modulo) Ranks() int { return 3 }
func (modulo) Owner(key uint64) int {
	if key == 13 {
		return -1
	}
	return int(key % 3)
}

func TestBatcherOfUsersOwn(t *testing.T) {
	owners := make([]uint32, 3)
	require.Equal(t, -1, distribution.BatcherOf(modulo{}).Owners([]uint64{5, 4, 3}, owners))
	require.Equal(t, []uint32{2, 1, 0}, owners)
	require.Equal(t, 1, distribution.BatcherOf(modulo{}).Owners([]uint64{4, 13, 3}, owners))
	block := distribution.Block(3, 2)
	require.Equal(t, distribution.Batcher(block), distribution.BatcherOf(block))
}

// far returns owners that 32 bits can't hold.
type far struct{ modulo }

func (far) Owner(key uint64) int { return 1<<32 + int(key) }

func TestOwnersBeyond32BitsAreNoRanks(t *testing.T) {
	owners := make([]uint32, 2)
	require.Equal(t, -1, distribution.BatcherOf(far{}).Owners([]uint64{0, 5}, owners))
	require.Equal(t, []uint32{math.MaxUint32, math.MaxUint32}, owners)
}

// Maps of this package are proven; user maps around them are not.
func TestProven(t *testing.T) {
	for _, m := range append(constantSpace(10, 3), distribution.Table([]int{0, 2, 1}, 3)) {
		require.True(t, distribution.Proven(m), m.Describe())
		require.True(t, distribution.Proven(distribution.NewDirectory(m, 0)), m.Describe())
	}
	require.True(t, distribution.Proven(distribution.Hash(3)))
	require.False(t, distribution.Proven(modulo{}))
	require.False(t, distribution.Proven(distribution.NewDirectory(modulo{}, 0)))
	require.False(t, distribution.Proven(struct{ *distribution.BlockMap }{distribution.Block(10, 3)}))
}

// A batch allocates nothing.
func TestOwnersAllocatesNothing(t *testing.T) {
	keys, owners := make([]uint64, 1000), make([]uint32, 1000)
	random := seeded(t)
	for i := range keys {
		keys[i] = random.Uint64N(1000)
	}
	for _, m := range append(constantSpace(1000, 7), distribution.Table(make([]int, 1000), 7)) {
		require.Zero(t, testing.AllocsPerRun(10, func() { m.Owners(keys, owners) }), fmt.Sprint(m.Describe()))
	}
}
