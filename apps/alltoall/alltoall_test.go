package alltoall

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sizes are all sizes of plain items, and coded ones of few bytes, of a number that is no multiple of 8, and of many.
// Their number differs from the period of the shapes, so that every topology on every number of ranks gets all of them.
var sizes = []int{8, 4, 16, 13, 32, 100, 64, 9, 128, 512, 1000}

// Every rank receives the items of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	type twin struct{ came, sums []uint64 }
	wanted := map[int]twin{}
	for ranks := 1; ranks <= 16; ranks++ {
		came, sums := Serial(ranks, Config{Rounds: 5, Common: apps.Common{Seed: 3}})
		wanted[ranks] = twin{came, sums}
	}
	n := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		c := Config{Bytes: sizes[n%len(sizes)], Rounds: 5, Common: apps.Common{Seed: 3}}
		n++
		got := twin{make([]uint64, s.Ranks), make([]uint64, s.Ranks)}
		results := make([]Result, s.Ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			b := newBench(r, c)
			results[r.ID()], err = b.run()
			for _, sender := range b.inbox.senders {
				got.came[r.ID()] += sender.came
				got.sums[r.ID()] += sender.sum
			}
			return err
		}))
		require.Equal(t, wanted[s.Ranks], got)
		for _, result := range results {
			require.Zero(t, result.Errors)
			require.Zero(t, result.Faults)
			require.EqualValues(t, 5*s.Ranks*(s.Ranks-1), result.Items)
			require.Equal(t, result.Items, result.Counters.PebblesSent)
			require.Equal(t, result.Items, result.Counters.PebblesHandled)
			require.Equal(t, (result.Items+result.Counters.Forwarded)*travels(c.Bytes), result.Counters.BytesSent)
			require.Equal(t, c.Bytes, result.Bytes)
			require.Zero(t, result.Cache)
		}
	})
}

// travels returns the number of bytes of an item in a frame.
func travels(bytes int) uint64 {
	switch bytes {
	case 4, 8, 16, 32, 64, 128, 512:
		return uint64(bytes)
	default:
		return uint64(bytes + 12)
	}
}

func TestDefaults(t *testing.T) {
	for ranks, rounds := range map[int]uint64{1: 1 << 20, 2: 1 << 20, 3: 1 << 19, 1025: 1 << 10, 1<<20 + 1: 1,
		1 << 25: 1} {
		require.Equal(t, Config{Bytes: 32, Rounds: rounds}, Config{}.withDefaults(ranks))
	}
	require.Equal(t, Config{Bytes: 64 << 10, Rounds: 1 << 10}, Config{Bytes: 64 << 10}.withDefaults(2))
	require.Equal(t, Config{Bytes: 9, Rounds: 9}, Config{Bytes: 9, Rounds: 9}.withDefaults(2))
	require.Equal(t, Config{Bytes: 4, Rounds: 1}, Config{Bytes: 4}.withDefaults(1<<16),
		"as many as their numbers tell apart")
}

// Sizes around those with a pebble type, and the largest.
func TestSizes(t *testing.T) {
	for _, bytes := range []int{9, 15, 17, 31, 33, 63, 65, 127, 129, 511, 513, 4096, 64<<10 - 1, 64 << 10} {
		for _, shape := range []appstest.Shape{
			{Ranks: 3, New: route.Direct}, {Ranks: 7, New: route.Hypercube, Coalesce: 3}, {Ranks: 4, New: appstest.Ring,
				Coalesce: 1},
		} {
			shape.Procs, shape.Transport = 1, "mem"
			c := Config{Bytes: bytes, Rounds: 4 + 500/uint64(bytes), Common: apps.Common{Seed: 5}}
			for _, got := range appstest.All(t, shape, Run, c) {
				require.Zero(t, got.Errors, "%d bytes", bytes)
			}
		}
	}
}

func TestProgressGoesUp(t *testing.T) {
	for _, bytes := range []int{8, 9} {
		seen := appstest.Told(t, 4, 3<<12, func(r *pebble.Rank, told apps.Progress) error {
			return appstest.Once(Run, Config{Bytes: bytes, Rounds: 1 << 12, Common: apps.Common{Progress: told}})(r)
		})
		require.Equal(t, []uint64{1 << 12, 2 << 12, 3 << 12}, seen)
	}
}

func TestBadConfig(t *testing.T) {
	for _, c := range []Config{{Bytes: -1}, {Bytes: 3}, {Bytes: 7}, {Bytes: 64<<10 + 1}, {Rounds: 1 << 60}, {Bytes: 4,
		Rounds: 1<<28 + 1}} {
		require.ErrorContains(t, c.Check(4), "alltoall: ", "%+v", c)
	}
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Bytes: 4, Rounds: 1 << 28}.Check(4))
	require.NoError(t, Config{}.Check(1<<29))
	require.ErrorContains(t, Config{Bytes: 4}.Check(1<<17), "or larger items")
	require.NoError(t, Config{Bytes: 64 << 10, Rounds: 1 << 56}.Check(4))
	require.Error(t, Config{Bytes: 64 << 10, Rounds: 1<<56 + 1}.Check(4))
}

// A round contains every other rank once, and no two ranks in step send to the same rank.
func TestCourse(t *testing.T) {
	for ranks := 2; ranks <= 17; ranks++ {
		courses, n := make([]course, ranks), newNumbers(ranks, 0)
		for r := range courses {
			courses[r] = newCourse(n, r, ranks)
		}
		for round := range uint64(3) {
			seen := make([]map[uint32]bool, ranks) // by sender
			for range ranks - 1 {
				busy := map[uint32]bool{}
				for r := range courses {
					var id [1]uint64
					courses[r].next(id[:])
					to := n.to(id[0])
					require.Equal(t, n.id(uint32(r), to, round), id[0])
					require.NotEqualValues(t, r, to)
					require.Less(t, to, uint32(ranks))
					if seen[r] == nil {
						seen[r] = map[uint32]bool{}
					}
					seen[r][to], busy[to] = true, true
				}
				require.Len(t, busy, ranks)
			}
			for r := range seen {
				require.Len(t, seen[r], ranks-1)
			}
		}
	}
}

// Hundreds of ranks in one process, an item from each to each. A routed topology gathers them into few frames. With the
// direct one, which has a buffer for every pair of ranks, they leave one by one.
func TestManyRanks(t *testing.T) {
	const ranks, rounds = 256, 1
	frames, most := map[string]uint64{}, map[string]int{}
	for _, s := range []appstest.Shape{{Topology: "hypercube", New: route.Hypercube}, {Topology: "direct",
		New: route.Direct}} {
		s.Ranks, s.Procs, s.Transport = ranks, 1, "mem"
		results, buffers := make([]Result, ranks), make([]int, ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			results[r.ID()], err = Run(r, Config{Rounds: rounds})
			buffers[r.ID()] = r.Memory().Buffers
			return err
		}))
		got := results[0]
		require.Zero(t, got.Errors)
		require.EqualValues(t, rounds*ranks*(ranks-1), got.Counters.PebblesHandled)
		frames[s.Topology] = got.Counters.FramesSent
		most[s.Topology] = slices.Max(buffers)
		t.Logf("%s: %.1f s, %d frames, %d items forwarded, at most %d buffers on a rank at one time, and %d KiB for "+
			"pebbles that wait or travel",
			s.Topology, got.Seconds, got.Counters.FramesSent, got.Counters.Forwarded, most[s.Topology],
			got.Memory.BuffersPeak>>10)
	}
	require.LessOrEqual(t, most["hypercube"], 9, "one for each of 8 neighbours, and one that grows")
	require.GreaterOrEqual(t, most["direct"], ranks-1)
	require.Less(t, 10*frames["hypercube"], frames["direct"])
}

// The items of these tests go to rank 1 of 3, in 4 rounds.
const (
	self   = 1
	ranks  = 3
	rounds = 4
	due    = rounds * (ranks - 1)
)

var seeded = newNumbers(ranks, 77)

// all returns the expected items.
func all[V any](k kind[V]) (its []V) {
	for from := range ranks {
		c := newCourse(seeded, from, ranks)
		sent, ids := make([]V, due), make([]uint64, due)
		c.next(ids)
		k.fill(sent, ids)
		for _, it := range sent {
			if seeded.to(k.number(&it)) == self {
				its = append(its, it)
			}
		}
	}
	return its
}

func errorsOf[V any](k kind[V], its []V) uint64 {
	in := newInbox(seeded, self, ranks, rounds)
	receive(in, its, k)
	return in.faults().errors()
}

func TestVerifierCounts(t *testing.T) {
	t.Run("4", func(t *testing.T) { counts(t, bare[uint32](seeded)) })
	t.Run("8", func(t *testing.T) { counts(t, bare[uint64](seeded)) })
	t.Run("16", func(t *testing.T) { counts(t, two(seeded)) })
	t.Run("32", func(t *testing.T) { counts(t, plain[[4]uint64](seeded)) })
	t.Run("64", func(t *testing.T) { counts(t, plain[[8]uint64](seeded)) })
	t.Run("128", func(t *testing.T) { counts(t, plain[[16]uint64](seeded)) })
	t.Run("512", func(t *testing.T) { counts(t, plain[[64]uint64](seeded)) })
}

// counts tries all errors of one or two items.
func counts[V comparable](t *testing.T, k kind[V]) {
	whole := all(k)
	errorsOf := func(its []V) uint64 { return errorsOf(k, its) }
	require.Len(t, whole, due)
	require.Zero(t, errorsOf(whole))
	require.EqualValues(t, due, errorsOf(nil))
	require.EqualValues(t, due, errorsOf(append(whole, whole...)))
	for i, a := range whole {
		without := slices.Delete(slices.Clone(whole), i, i+1)
		require.EqualValues(t, 1, errorsOf(without), "%d lost", i)
		require.EqualValues(t, 1, errorsOf(append(slices.Clone(whole), a)), "%d twice", i)
		for j := range without {
			require.EqualValues(t, 2, errorsOf(slices.Delete(slices.Clone(without), j, j+1)), "%d and another lost", i)
			require.EqualValues(t, 2, errorsOf(append(slices.Clone(without), without[j])), "%d lost, another twice", i)
			require.EqualValues(t, 2, errorsOf(append(slices.Clone(whole), a, whole[j])), "two more")
		}
		for bit := range 8 * int(unsafe.Sizeof(a)) {
			bad := a
			unsafe.Slice((*byte)(unsafe.Pointer(&bad)), unsafe.Sizeof(bad))[bit/8] ^= 1 << (bit % 8)
			wrong := uint64(1)
			if slices.Contains(without, bad) {
				wrong = 2 // an item of only its number becomes another one: one lost and one twice
			}
			require.Equal(t, wrong, errorsOf(append(slices.Clone(without), bad)), "%d came with bit %d wrong", i, bit)
			require.EqualValues(t, 1, errorsOf(append(slices.Clone(whole), bad)), "%d came twice, once with bit %d wrong", i,
				bit)
		}
	}
}

// The verifier notices lost and repeated rounds, even if the sums of numbers, squares and cubes are equal.
func TestVerifierNoticesRoundsOfEqualSums(t *testing.T) {
	const rounds = 16
	for name, twice := range map[string][]uint64{ // the others are lost
		"sums":    {1, 2},                      // as 0 and 3
		"squares": {1, 2, 4, 7},                // as 0, 3, 5 and 6
		"cubes":   {1, 2, 4, 7, 8, 11, 13, 14}, // as the rest of the 16
	} {
		t.Run(name, func(t *testing.T) {
			in := newInbox(seeded, self, ranks, rounds)
			put := func(from uint32, round uint64) {
				receive(in, []uint64{seeded.id(from, self, round)}, bare[uint64](seeded))
			}
			for round := range uint64(rounds) {
				put(2, round)
				switch {
				case round >= uint64(2*len(twice)):
					put(0, round)
				case slices.Contains(twice, round):
					put(0, round)
					put(0, round)
				}
			}
			require.Equal(t, Faults{Lost: 1, Twice: 1}, in.faults())
		})
	}
}

// Items that no rank sent to this one are errors, even with the right bytes.
func TestVerifierNoticesStrangers(t *testing.T) {
	k := bare[uint64](seeded)
	whole := all(k)
	for _, stranger := range []uint64{
		seeded.id(2, 0, 0), seeded.id(self, self, 0), seeded.id(ranks, self, 0), seeded.id(0, self, rounds),
		seeded.id(0, self, seeded.most(8)-1),
	} {
		in := newInbox(seeded, self, ranks, rounds)
		receive(in, append(slices.Clone(whole), stranger), k)
		require.Equal(t, Faults{Damaged: 1}, in.faults(), "%x", stranger)
	}
}

// The numbers of all items of a job differ, up to the last round that fits.
func TestNumbers(t *testing.T) {
	for ranks := 1; ranks <= 17; ranks++ {
		n := newNumbers(ranks, 0)
		for _, bytes := range []int{4, 8} {
			last := n.most(bytes) - 1
			for _, round := range []uint64{0, 1, last} {
				for from := range uint32(ranks) {
					for to := range uint32(ranks) {
						id := n.id(from, to, round)
						require.Zero(t, id>>(8*bytes-1)>>1)
						require.Equal(t, []uint64{uint64(from), uint64(to), round},
							[]uint64{uint64(n.from(id)), uint64(n.to(id)), id >> (2 * n.bits)})
					}
				}
			}
		}
	}
}

// opened is errorsOf for records of a codec.
func opened(t *testing.T, c codec, records [][]byte) uint64 {
	in := newInbox(seeded, self, ranks, rounds)
	for _, record := range records {
		l, err := c.Decode(record)
		require.NoError(t, err)
		receive(in, []letter{l}, coded(seeded))
	}
	return in.faults().errors()
}

// Every bit of an item is checked.
func TestVerifierLooksAtEveryBitOfCodedItems(t *testing.T) {
	for _, size := range []int{9, 10, 13, 15, 16, 17, 100} {
		c := codec{seeded, size}
		var whole [][]byte
		for _, id := range all(bare[uint64](seeded)) {
			record, err := c.Append(nil, letter{ID: id})
			require.NoError(t, err)
			require.Len(t, record, size)
			whole = append(whole, record)
		}
		require.Zero(t, opened(t, c, whole))
		require.EqualValues(t, 1, opened(t, c, whole[1:]))
		require.EqualValues(t, 1, opened(t, c, append(whole, whole[3])))
		require.EqualValues(t, 2, opened(t, c, append(whole[1:], whole[3])))
		for i, record := range whole {
			for bit := range 8 * len(record) {
				bad := slices.Clone(record)
				bad[bit/8] ^= 1 << (bit % 8)
				got := opened(t, c, append(slices.Delete(slices.Clone(whole), i, i+1), bad))
				if size < 16 && bit < 64 { // a few bytes may fit another item too: one lost and one twice
					require.Contains(t, []uint64{1, 2}, got, "bit %d", bit)
					continue
				}
				require.EqualValues(t, 1, got, "bit %d of %d bytes", bit, size)
			}
			_, err := c.Decode(record[1:])
			require.ErrorContains(t, err, "bytes came as")
		}
	}
}

// Plain and coded items of one size have the same bytes: each word follows from their number.
func TestItemsHaveTheirBytes(t *testing.T) {
	haveTheirBytes(t, bare[uint64](seeded))
	haveTheirBytes(t, two(seeded))
	haveTheirBytes(t, plain[[4]uint64](seeded))
	haveTheirBytes(t, plain[[8]uint64](seeded))
	haveTheirBytes(t, plain[[16]uint64](seeded))
	haveTheirBytes(t, plain[[64]uint64](seeded))
}

func haveTheirBytes[V any](t *testing.T, k kind[V]) {
	for _, it := range all(k) {
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&it)), unsafe.Sizeof(it))
		for _, cut := range []int{0, 3} {
			size := max(8, len(bytes)-cut)
			record, err := codec{seeded, size}.Append(nil, letter{ID: k.number(&it)})
			require.NoError(t, err)
			require.Equal(t, bytes[:size], record)
		}
	}
}

// spoilt runs the whole benchmark with a change to the items of one rank, and returns the errors that the job reports.
func spoilt(t *testing.T, harm func(its [][4]uint64) [][4]uint64) (errors uint64) {
	s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Hypercube}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b := newBench(r, Config{Bytes: 32, Rounds: rounds})
		k := plain[[4]uint64](b.inbox.numbers)
		t := target.New(r, "item", b.owner, k.keys, target.Batch(func(its [][4]uint64) { receive(b.inbox, its, k) }))
		appstest.OK(r.Epoch(func() error {
			stream(b, func(its [][4]uint64) {
				if r.ID() == 2 {
					its = harm(its)
				}
				t.SendAll(its)
			}, k.fill)
			return nil
		}, pebble.Depth(1)))
		sum, err := apps.Sum(r, b.inbox.faults().errors())
		if r.ID() == 0 {
			errors = sum
		}
		return err
	}))
	return errors
}

func TestVerifierNoticesInAJob(t *testing.T) {
	type items = [][4]uint64
	require.Zero(t, spoilt(t, func(its items) items { return its }))
	require.EqualValues(t, 1, spoilt(t, func(its items) items { return its[1:] }), "lost")
	require.EqualValues(t, due, spoilt(t, func(items) items { return nil }), "all lost")
	require.EqualValues(t, 1, spoilt(t, func(its items) items { return append(its, its[3]) }), "twice")
	require.EqualValues(t, 2, spoilt(t, func(its items) items { its[0] = its[5]; return its }), "lost and twice")
	require.EqualValues(t, 1, spoilt(t, func(its items) items { its[4][3]++; return its }), "damaged")
	require.EqualValues(t, 2, spoilt(t, func(its items) items {
		its[0][0], its[1][0] = its[1][0],
			its[0][0]
		return its
	}), "exchanged")
}

// A run of many rounds allocates about as much as a run of few.
func TestNoAllocationPerItem(t *testing.T) {
	for _, bytes := range []int{32, 24} {
		appstest.SameMallocs(t, 0, 4*3*7<<10, appstest.Once(Run, Config{Bytes: bytes, Rounds: 1 << 10}),
			appstest.Once(Run, Config{Bytes: bytes, Rounds: 1 << 13}))
	}
}
