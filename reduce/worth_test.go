package reduce_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/reduce"
)

const chunk = 256

// worth reports whether pebbles go through c, and passes it their keys if it watches.
func worth[V any](c *reduce.Cache[V], keys []uint64) bool {
	advice := c.Advise(len(keys))
	if advice == reduce.Watch {
		c.Watch(keys)
	}
	return advice == reduce.Use
}

// drive sends n pebbles through c in chunks, where c is worth it, and ends an epoch after every epoch pebbles (0 for
// never). It returns the number that went through the cache.
func drive(t *testing.T, c *reduce.Cache[pebble], n, epoch int, next func() pebble) (through int) {
	vs, keys := make([]pebble, chunk), make([]uint64, chunk)
	off, left := c.Off(), epoch
	for sent := 0; sent < n; {
		m := min(chunk, n-sent)
		if epoch > 0 {
			m = min(m, left)
		}
		for i := range m {
			vs[i] = next()
			keys[i] = vs[i].key
		}
		sent += m
		if worth(c, keys[:m]) {
			c.Filter(vs[:m], keys[:m])
			through += m
		}
		if left -= m; epoch > 0 && left == 0 {
			left = epoch
			for c.Held() > 0 {
				c.Drain(vs, keys)
			}
			c.Clear()
		}
	}
	require.EqualValues(t, n-through, c.Off()-off)
	return through
}

// uniform draws pebbles of random keys; only the key differs.
func uniform(rng *rand.Rand, keys uint64) func() pebble {
	return func() pebble { return pebble{key: rng.Uint64N(keys)} }
}

// scan goes through keys in order, again and again.
func scan(keys uint64) func() pebble {
	key := uint64(0)
	return func() pebble {
		key = (key + 1) % keys
		return pebble{key: key}
	}
}

func replay(keys []uint64) func() pebble {
	i := -1
	return func() pebble { i++; return pebble{key: keys[i]} }
}

// everyKind runs a test for each kind that merges equal pebbles.
func everyKind(t *testing.T, test func(t *testing.T, kind reduce.Kind[pebble], rng *rand.Rand)) {
	for _, kind := range kinds() {
		t.Run(kind.String(), func(t *testing.T) { test(t, kind, seeded(t)) })
	}
}

// trial returns the number of pebbles of a trial at keys that hardly ever repeat: enough for 1,024 to meet a filled
// slot, with a fifth for chance and the last chunk.
func trial(slots int) int {
	n := math.Sqrt(2 * 1024 * float64(slots))
	return int(1.2*n) + 1024 + chunk
}

// longest returns the largest number of pebbles that go through a cache that earns nothing.
func longest(slots int) int { return 2*slots + 256 + chunk }

// The limits: with many more keys than slots at most 2 % of the pebbles go through the cache, and with no more keys
// than slots all of them.
func TestUniformKeys(t *testing.T) {
	rng := seeded(t)
	const slots, n = 1 << 16, 2 << 20
	for _, log2 := range []int{10, 14, 16, 17, 19, 21, 23} {
		c := reduce.NewCache(reduce.Duplicates[pebble](), slots)
		through := drive(t, c, n, 0, uniform(rng, 1<<log2))
		switch {
		case log2 <= 17:
			require.Equal(t, n, through, "2^%d keys", log2)
			require.Zero(t, c.Tries())
		default:
			require.Less(t, through, n*3/100, "2^%d keys, first trials included", log2)
			through = drive(t, c, n, 0, uniform(rng, 1<<log2))
			require.Less(t, through, n/50, "2^%d keys, in the long run", log2)
			require.Positive(t, c.Tries())
		}
	}
}

func TestUniformKeysEveryKind(t *testing.T) {
	everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], rng *rand.Rand) {
		const n = 3 << 17
		for _, slots := range []int{2, 64, 1024} {
			c := reduce.NewCache(kind, slots)
			require.Equal(t, n, drive(t, c, n, 0, uniform(rng, uint64(slots))), "%d slots", slots)
			c = reduce.NewCache(kind, slots)
			drive(t, c, n, 0, uniform(rng, 1<<40))
			require.Less(t, drive(t, c, n, 0, uniform(rng, 1<<40)), n/50, "%d slots", slots)
			require.Zero(t, c.Merged())
		}
	})
}

// If a cache that is always on merges well over two fifths, one that may switch off loses next to nothing of it; if it
// merges far less, hardly anything goes through.
func TestSkewedKeys(t *testing.T) {
	rng := seeded(t)
	const n = 1 << 18
	on, off := 0, 0
	drawn := make([]uint64, n)
	for _, skew := range []float64{1.01, 1.3, 2} {
		for _, unlike := range []float64{1, 100, 1e5} {
			zipf := rand.NewZipf(rng, skew, unlike, 1<<23)
			for i := range drawn {
				drawn[i] = zipf.Uint64() * 0x9e3779b97f4a7c15
			}
			for _, slots := range []int{16, 256, 4096} {
				fixed := reduce.NewFixedCache(reduce.Duplicates[pebble](), slots)
				require.Equal(t, n, drive(t, fixed, n, 0, replay(drawn)), "one that is fixed is always worth it")
				require.Zero(t, fixed.Tries())
				c := reduce.NewCache(reduce.Duplicates[pebble](), slots)
				through := drive(t, c, n, 0, replay(drawn))
				what := fmt.Sprintf("skew %v from %v, %d slots, %d merge", skew, unlike, slots, fixed.Merged())
				switch h := float64(fixed.Merged()) / n; {
				case h > 0.5:
					on++
					require.Greater(t, float64(c.Merged()), 0.97*float64(fixed.Merged()), what)
				case h < 0.2:
					off++
					require.Less(t, through, n/10, what)
				}
			}
		}
	}
	require.Greater(t, on, 5)
	require.Greater(t, off, 5)
}

// A stream that turns from hot to cold switches the cache off, at the latest when each slot's worth of good times is
// spent twice; after it turns back, the cache is on again after 128 trials.
func TestPhases(t *testing.T) {
	everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], rng *rand.Rand) {
		const slots = 1024
		c := reduce.NewCache(kind, slots)
		again := 128*trial(slots) + 2*chunk
		for range 3 {
			drive(t, c, again, 0, uniform(rng, 64))
			require.Equal(t, 100_000, drive(t, c, 100_000, 0, uniform(rng, 64)), "it is on")
			through := drive(t, c, 500_000, 0, uniform(rng, 1<<40))
			require.Less(t, through, longest(slots)+500_000/50)
			tries := c.Tries()
			drive(t, c, again, 0, uniform(rng, 64))
			require.LessOrEqual(t, c.Tries(), tries+1, "one trial is enough")
			require.Equal(t, reduce.Use, c.Advise(chunk), "it is on again")
		}
	})
}

// As many keys as slots take long to warm up, in the first trial and in later ones.
func TestWarmingUpIsNoFailure(t *testing.T) {
	rng := seeded(t)
	const slots = 4096
	for name, stream := range map[string]func() pebble{"uniform": uniform(rng, slots), "scan": scan(slots)} {
		everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], _ *rand.Rand) {
			c := reduce.NewCache(kind, slots)
			require.Equal(t, 100_000, drive(t, c, 100_000, 0, stream), name)
			drive(t, c, 1_000_000, 0, uniform(rng, 1<<40))
			drive(t, c, 128*longest(slots)+16*(longest(slots)+1024), 0, stream) // the longest rest, and a trial
			tries := c.Tries()
			require.Equal(t, 100_000, drive(t, c, 100_000, 0, stream), name)
			require.Equal(t, tries, c.Tries())
		})
	}
}

// The ends of epochs empty the cache. If enough pebbles merge nevertheless, it stays on, and switches on; if too few
// do, it doesn't flap.
func TestShortEpochs(t *testing.T) {
	rng := seeded(t)
	const slots = 256
	for _, e := range []struct {
		name  string
		epoch int
		next  func() pebble
		worth bool
	}{
		{"few keys", 300, uniform(rng, 32), true},
		{"all slots filled in each", 4 * slots, uniform(rng, slots), true},
		{"two scans an epoch", 2 * slots, scan(slots), true},
		{"three scans an epoch, out of step with chunks", 3*slots - 3, scan(slots - 1), true},
		{"hardly any repeated in an epoch", 16, uniform(rng, slots), false},
		{"the same, longer", 100, uniform(rng, 64*slots), false},
		{"one scan an epoch", slots, scan(slots), false},
	} {
		t.Run(e.name, func(t *testing.T) {
			everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], _ *rand.Rand) {
				const n = 3 << 17
				c := reduce.NewCache(kind, slots)
				if e.worth {
					require.Equal(t, n, drive(t, c, n, e.epoch, e.next))
					drive(t, c, n, 0, uniform(rng, 1<<40))
					drain(c)
					c.Clear()
				}
				drive(t, c, n, e.epoch, e.next)
				through := drive(t, c, n, e.epoch, e.next)
				if e.worth {
					require.Equal(t, n, through)
				} else {
					require.Less(t, through, n/50)
				}
			})
		})
	}
}

func drain(c *reduce.Cache[pebble]) {
	vs, keys := make([]pebble, chunk), make([]uint64, chunk)
	for c.Held() > 0 {
		c.Drain(vs, keys)
	}
}

// untilTrial passes pebbles by until a trial begins, and returns their number.
func untilTrial(c *reduce.Cache[pebble]) (passed int) {
	for c.Advise(1) == reduce.Skip {
		passed++
	}
	return passed
}

// A trial that begins late in an epoch sees a whole one, at no cost: one is enough for a cache that pays over epochs.
func TestTrialSeesAWholeEpoch(t *testing.T) {
	everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], _ *rand.Rand) {
		const slots = 1024
		for begin := 0; begin < 2*slots; begin += slots / 4 {
			c := reduce.NewCache(kind, slots)
			drive(t, c, 100_000, 0, uniform(rand.New(rand.NewPCG(1, 1)), 1<<40))
			untilTrial(c)
			tries, rest := c.Tries(), 2*slots-begin
			drive(t, c, rest, rest, scan(slots))
			drive(t, c, 20*slots, 2*slots, scan(slots))
			require.Equal(t, 10*slots, drive(t, c, 10*slots, 2*slots, scan(slots)), "from %d", begin)
			require.Equal(t, tries, c.Tries())
		}
	})
}

// The first trial after a good time comes soon, however long the cache was off before.
func TestGoodTimesAreRemembered(t *testing.T) {
	everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], rng *rand.Rand) {
		const slots = 64
		c := reduce.NewCache(kind, slots)
		drive(t, c, 500_000, 0, uniform(rng, 1<<40))
		drive(t, c, 128*trial(slots)+100_000, 0, uniform(rng, slots))
		for c.Advise(chunk) == reduce.Use {
			drive(t, c, chunk, 0, uniform(rng, 1<<40))
		}
		require.LessOrEqual(t, untilTrial(c), longest(slots))
	})
}

// Short bursts of keys that never repeat don't switch a good cache off.
func TestBursts(t *testing.T) {
	everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], rng *rand.Rand) {
		c := reduce.NewCache(kind, 4096)
		for range 50 {
			require.Equal(t, 10_000, drive(t, c, 10_000, 0, uniform(rng, 100)))
			require.Equal(t, 5000, drive(t, c, 5000, 0, uniform(rng, 1<<40)))
		}
		require.Zero(t, c.Tries())
	})
}

// For any stream, a cache spends no more than it earned and the credit of its trials: a lookup costs 2, a merged pebble
// earns 5.
func TestLossIsBounded(t *testing.T) {
	everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], rng *rand.Rand) {
		for range 10 {
			slots := 2 << rng.IntN(12)
			c := reduce.NewCache(kind, slots)
			through := 0
			for range 60 {
				next := uniform(rng, 1<<rng.IntN(20))
				if rng.IntN(3) == 0 {
					next = scan(1 << rng.IntN(16))
				}
				through += drive(t, c, rng.IntN(20_000), rng.IntN(2)*(1+rng.IntN(5000)), next)
			}
			spent, earned := 2*through, 5*int(c.Merged())
			require.LessOrEqual(t, spent-earned, 2*(int(c.Tries())+1)*longest(slots))
		}
	})
}

// Filter works as always while the cache is off; only pebbles that Advise sends by bring the next trial nearer.
func TestFilterWhileOff(t *testing.T) {
	everyKind(t, func(t *testing.T, kind reduce.Kind[pebble], _ *rand.Rand) {
		c, twin := reduce.NewCache(kind, 64), reduce.NewCache(kind, 64)
		for _, c := range []*reduce.Cache[pebble]{c, twin} {
			for next := scan(1 << 40); c.Advise(chunk) == reduce.Use; {
				drive(t, c, chunk, 0, next)
			}
			drain(c)
		}
		require.Panics(t, func() { c.Advise(-1) })
		off := c.Off()
		for key := range uint64(1000) {
			c.FilterOne(pebble{key: key}, key)
		}
		drain(c)
		for range 1000 {
			c.FilterOne(pebble{key: 7}, 7)
		}
		require.EqualValues(t, 999, c.Merged())
		require.Equal(t, off, c.Off())
		require.Equal(t, untilTrial(twin), untilTrial(c))
	})
}

// Prices set the limit: the fraction of merged pebbles from which a cache stays on.
func TestPrice(t *testing.T) {
	for _, c := range []struct {
		look, saved time.Duration
		part        int // merging ones of 100 pebbles
		on          bool
	}{
		{10, 100, 20, true}, {10, 100, 5, false},
		{100, 10, 99, false}, {0, 0, 50, false}, {1, time.Hour, 3, true},
		{10, 20, 60, true}, {10, 20, 40, false},
	} {
		cache := reduce.NewCache(reduce.Duplicates[uint64](), 1<<10)
		cache.Price(c.look, c.saved)
		vs, keys := make([]uint64, 100), make([]uint64, 100)
		fresh := uint64(1 << 20)
		for range 20_000 {
			for i := range vs {
				if vs[i] = 7; i >= c.part {
					fresh++
					vs[i] = fresh
				}
				keys[i] = vs[i]
			}
			if worth(cache, keys) {
				cache.Filter(vs, keys)
			}
		}
		off := float64(cache.Off()) / (20_000 * 100)
		if c.on {
			require.Less(t, off, 0.05, "%+v", c)
		} else {
			require.Greater(t, off, 0.9, "%+v", c)
		}
	}
}

// A cache that is off stays off without keys to watch, and switches on with them.
func TestNothingWatchedNothingDecided(t *testing.T) {
	c := reduce.NewCache(reduce.First[pebble](), 64)
	for next := scan(1 << 40); c.Advise(chunk) == reduce.Use; {
		drive(t, c, chunk, 0, next)
	}
	untilTrial(c)
	for range 100_000 {
		require.Equal(t, reduce.Watch, c.Advise(chunk))
	}
	c.Watch(make([]uint64, 100_000))
	require.Equal(t, reduce.Use, c.Advise(chunk))
	c.Watch(make([]uint64, 100_000))
	require.Equal(t, reduce.Use, c.Advise(chunk), "of one that is on it says nothing")
}

// The estimate of a trial agrees with the cache afterwards: for few keys, many, in order or not, and with most pebbles
// for a few.
func TestWatchAgreesWithTheCache(t *testing.T) {
	rng := seeded(t)
	const n = 1 << 18
	streams := map[string]func() pebble{}
	for _, slots := range []int{64, 1024, 1 << 14} {
		for _, keys := range []uint64{1, 7, uint64(slots / 2), uint64(slots), uint64(2 * slots), uint64(8 * slots), 1 << 40} {
			streams[fmt.Sprintf("%d uniform", keys)] = uniform(rng, keys)
			streams[fmt.Sprintf("%d scanned", keys)] = scan(keys)
		}
		zipf := rand.NewZipf(rng, 1.1, 1, 1<<20)
		streams["skewed"] = func() pebble { return pebble{key: zipf.Uint64() * 0x9e3779b97f4a7c15} }
		for name, next := range streams {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = next().key
			}
			seen := reduce.MergedByWatch(slots, keys)
			c := reduce.NewFixedCache(reduce.First[pebble](), slots)
			drive(t, c, n, 0, replay(keys))
			require.InDelta(t, float64(c.Merged())/n, float64(seen)/n, 0.1, "%d slots, %s", slots, name)
		}
	}
}
