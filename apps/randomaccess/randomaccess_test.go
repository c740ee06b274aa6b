package randomaccess

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The checksum and the rest of the report equal those of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	c := Config{Log2Words: 6, UpdatesPerWord: 4}
	sums := map[int]string{}
	for ranks := 1; ranks <= 16; ranks++ {
		_, sums[ranks] = Serial(ranks, c)
	}
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		for _, got := range appstest.All(t, s, Run, c) {
			require.Equal(t, sums[s.Ranks], got.Checksum)
			require.Zero(t, got.Errors)
			require.EqualValues(t, 4*64*s.Ranks, got.Updates)
			require.EqualValues(t, got.Updates, got.Counters.PebblesSent)
			require.Equal(t, got.Updates, got.Counters.PebblesHandled+got.Counters.Merged)
			require.Equal(t, s.Cache < 1024, got.HPCCRule)
		}
	})
}

// Many epochs give the same table as one, and bound the waiting updates. The last epoch may be short.
func TestEpochs(t *testing.T) {
	c := Config{Log2Words: 6, UpdatesPerWord: 4, Coalesce: 1024}
	_, want := Serial(5, c)
	for epoch, epochs := range map[int]int{0: 1, 1: 256, 100: 3, 128: 2, 1000: 1} {
		c.Epoch = epoch
		s := appstest.Shape{Ranks: 5, Procs: 1, Transport: "mem", New: route.Hypercube}
		got := appstest.All(t, s, Run, c)[0]
		require.Equal(t, want, got.Checksum)
		require.Zero(t, got.Errors)
		require.EqualValues(t, epochs, got.Counters.Epochs)
		require.Equal(t, epoch > 0, got.HPCCRule)
	}
}

// The table equals that of the serial twin, word for word.
func TestTable(t *testing.T) {
	c := Config{Log2Words: 8, UpdatesPerWord: 3}
	for _, ranks := range []int{1, 2, 3, 8} {
		for _, cache := range []int{0, 64} {
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Hypercube, Cache: cache}
			table := make([]uint64, ranks<<8)
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				b := appstest.Must(newBench(r, c))
				appstest.OK(b.load())
				appstest.OK(b.kernel())
				copy(table[r.ID()<<8:], b.table)
				return nil
			}))
			want, _ := Serial(ranks, c)
			require.Equal(t, want, table)
		}
	}
}

// The checksum differs between tables, also if words are swapped, and adds up over parts.
func TestChecksum(t *testing.T) {
	table := []uint64{5, 6, 7, 8, 9}
	sum := checksum(table, 0)
	require.Equal(t, sum, checksum(table[:2], 0)+checksum(table[2:], 2))
	require.NotEqual(t, sum, checksum([]uint64{6, 5, 7, 8, 9}, 0))
	require.NotEqual(t, sum, checksum([]uint64{5, 6, 7, 8, 8}, 0))
	require.NotEqual(t, sum, checksum(table, 1))
}

// Odd numbers of updates, of ranks and of neighbours.
func TestOddSizes(t *testing.T) {
	for _, c := range []Config{
		{Log2Words: 1}, {Log2Words: 1, UpdatesPerWord: 0.5}, {Log2Words: 9, UpdatesPerWord: 3.1415},
		{Log2Words: 4, UpdatesPerWord: 100, Coalesce: 3}, {Log2Words: 10, Coalesce: 5000}, {Log2Words: 5, Epoch: 3},
	} {
		for _, ranks := range []int{1, 4, 7, 33} {
			_, sum := Serial(ranks, c)
			for _, got := range appstest.All(t, appstest.Mem(ranks), Run, c) {
				require.Equal(t, sum, got.Checksum, "%+v on %d ranks", c, ranks)
				require.Zero(t, got.Errors)
				require.Equal(t, c.Coalesce*(ranks-1) <= 1024-256, got.HPCCRule)
			}
		}
	}
}

func TestProgressGoesUp(t *testing.T) {
	calls := appstest.Told(t, 2, 2*4<<16, func(r *pebble.Rank, told apps.Progress) error {
		return appstest.Once(Run, Config{Log2Words: 16, Common: apps.Common{Progress: told}})(r)
	})
	require.Len(t, calls, 8)
}

// Links go down and up in the middle of the updates, marked by ranks of different processes. The table equals that of
// the serial twin: every update is applied once.
func TestLinksMarkedDownInMidEpoch(t *testing.T) {
	c := Config{Log2Words: 12, UpdatesPerWord: 4}
	for _, base := range []route.Constructor{route.Direct, route.Hypercube, route.MeshOf(2)} {
		for _, s := range []appstest.Shape{
			{Ranks: 8, Procs: 1, Transport: "mem", New: route.Dynamic(base), Coalesce: 64},
			{Ranks: 8, Procs: 3, Transport: "tcp", New: route.Dynamic(base), Coalesce: 64},
			{Ranks: 8, Procs: 3, Transport: "tcp", New: route.Dynamic(base), Coalesce: 64, Cache: 256, Credits: 1},
		} {
			t.Run(fmt.Sprintf("%s, %s, cache %d", base(8).Name(), s.Transport, s.Cache), func(t *testing.T) {
				_, want := Serial(8, c)
				var errors, rescued, handled [8]uint64
				require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
					b := appstest.Must(newBench(r, c.withDefaults()))
					appstest.OK(b.load())
					appstest.OK(b.pass(marking(b, b.updates("update", b.count))))
					rescued[r.ID()], handled[r.ID()] = r.Counters().Rescued, r.Counters().PebblesHandled
					appstest.OK(b.verify())
					errors[r.ID()] = b.errors
					require.Equal(t, want, digits(b.checksum))
					return nil
				}))
				require.Zero(t, errors)
				sums := [2]uint64{}
				for rank := range errors {
					sums[0] += rescued[rank]
					sums[1] += handled[rank]
				}
				require.Positive(t, sums[0])
				require.EqualValues(t, 8*c.withDefaults().updates(), sums[1])
			})
		}
	}
}

// marking makes two ranks mark some of their links while they send, and unmark them later. Two links at a time cannot
// disconnect a rank.
func marking(b *bench, send func(rans []uint64)) func(rans []uint64) {
	r, passed := b.rank, uint64(0)
	if r.ID() != 1 && r.ID() != 6 {
		return send
	}
	return func(rans []uint64) {
		for i, from := range []uint64{2000, 6000, 10000} { // of 16,384 updates of a rank
			for _, c := range []struct {
				at   uint64
				down bool
			}{{from, true}, {from + 3000, false}} {
				if passed < c.at && c.at <= passed+uint64(len(rans)) {
					r.MarkLink(r.ID(), r.ID()^1<<i, c.down)
				}
			}
		}
		passed += uint64(len(rans))
		send(rans)
	}
}

// By default the rule holds wherever it can: up to 1,023 neighbours.
func TestRuleHoldsByDefault(t *testing.T) {
	for neighbours := range 2000 {
		for _, most := range []int{1, 7, 1024, 4096} {
			for _, gathered := range []int{0, target.SendBufferMax} {
				q := share(neighbours, 0, gathered, 0, most)
				require.GreaterOrEqual(t, q.batch, 1)
				require.GreaterOrEqual(t, q.factor, 1)
				require.LessOrEqual(t, q.factor, most)
				if neighbours > 0 {
					require.Equal(t, neighbours < waitingMax, q.waiting() <= waitingMax,
						"%d neighbours: %+v", neighbours, q)
				}
			}
		}
	}
}

func TestRuleByHand(t *testing.T) {
	for _, c := range []struct {
		neighbours, cache, gathered, asked, most int
		want                                     quota
		kept                                     bool
	}{
		{0, 0, 0, 0, 1024, quota{256, 768, 0, 0, 0}, true},
		{1, 0, 0, 0, 1024, quota{256, 768, 1, 0, 0}, true},
		{1, 0, 0, 0, 100, quota{256, 100, 1, 0, 0}, true},
		{1, 0, 0, 1024, 100, quota{256, 1024, 1, 0, 0}, false},
		{3, 0, 0, 256, 100, quota{256, 256, 3, 0, 0}, true},
		{3, 0, 0, 257, 100, quota{256, 257, 3, 0, 0}, false},
		{3, 100, 0, 0, 1024, quota{256, 213, 3, 128, 0}, true},
		{3, 1024, 0, 0, 1024, quota{256, 256, 3, 1024, 0}, false},
		{1, 0, 256, 0, 1024, quota{256, 512, 1, 0, 255}, true},
		{3, 0, 256, 0, 1024, quota{256, 192, 3, 0, 191}, true},
		{15, 0, 0, 0, 1024, quota{256, 51, 15, 0, 0}, true},
		{200, 0, 0, 0, 1024, quota{128, 4, 200, 0, 0}, true},
		{1023, 0, 0, 0, 1024, quota{1, 1, 1023, 0, 0}, true},
		{5000, 0, 0, 0, 1024, quota{1, 1, 5000, 0, 0}, false},
	} {
		q := share(c.neighbours, c.cache, c.gathered, c.asked, c.most)
		require.Equal(t, c.want, q)
		require.Equal(t, c.kept, q.waiting() <= waitingMax, "%+v", q)
	}
}

func TestBadConfig(t *testing.T) {
	for _, c := range []Config{
		{Log2Words: -1}, {Log2Words: 37}, {UpdatesPerWord: -4}, {UpdatesPerWord: math.NaN()}, {UpdatesPerWord: math.Inf(1)},
		{UpdatesPerWord: 1e300}, {UpdatesPerWord: 1e-9}, {Coalesce: -1}, {Epoch: -1},
	} {
		require.ErrorContains(t, c.Check(4), "randomaccess: ", "%+v", c)
	}
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Log2Words: 36}.Check(1000))
}

func TestNumberJumpsToWhereNextWalks(t *testing.T) {
	ran := uint64(1)
	for n := range uint64(5000) {
		require.Equal(t, ran, number(n))
		ran = next(ran)
	}
}

func TestJumpsAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for range 200 {
		a, b := random.Uint64N(1<<62), random.Uint64N(1<<62)
		require.Equal(t, number(a+b), times(number(a), number(b)), "%d and %d", a, b)
	}
}

// The benchmark states the period of its stream.
func TestPeriod(t *testing.T) {
	const period = 1317624576693539401
	require.EqualValues(t, 1, number(period))
	require.EqualValues(t, 2, number(period+1))
	require.EqualValues(t, 2, number(1))
	require.Greater(t, uint64(period), uint64(updatesMax))
}

// The closed formula for the XOR of the first numbers.
func TestTotal(t *testing.T) {
	want, ran := uint64(0), uint64(1)
	for n := range uint64(300) {
		require.Equal(t, want, total(n), n)
		ran = next(ran)
		want ^= ran
	}
}

// run loads a table on each of three ranks, calls kernel and verify, and returns the verifier's verdict.
func run(t *testing.T, kernel, verify func(b *bench) error) (errors uint64, wrong []string) {
	s := appstest.Mem(3)
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b := appstest.Must(newBench(r, Config{Log2Words: 8, UpdatesPerWord: 4}))
		result, err := b.run(func() error { return kernel(b) }, func() error { return verify(b) })
		if r.ID() == 0 {
			errors, wrong = result.Errors, result.Wrong
		}
		return err
	}))
	return errors, wrong
}

const ofTable, ofXOR = "words of the table are wrong", "1 XOR over the table is not that of the numbers sent"

func TestVerifierNotices(t *testing.T) {
	for name, c := range map[string]struct {
		harm   func(table []uint64) // after the kernel, to the table of one rank
		errors uint64
		wrong  []string
	}{
		"nothing":         {func([]uint64) {}, 0, nil},
		"a wrong word":    {func(table []uint64) { table[17] ^= 1 }, 2, []string{"1 " + ofTable, ofXOR}},
		"two words":       {func(table []uint64) { table[3], table[4] = table[4], table[3] }, 2, []string{"2 " + ofTable}},
		"two of one rank": {func(table []uint64) { table[3] ^= 9; table[4] ^= 9 }, 2, []string{"2 " + ofTable}},
		"all words": {func(table []uint64) {
			for i := range table {
				table[i] ^= 1 << (i / 4)
			}
			table[0] ^= 12345
		}, 257, []string{"256 " + ofTable, ofXOR}},
	} {
		t.Run(name, func(t *testing.T) {
			errors, wrong := run(t, (*bench).kernel, func(b *bench) error {
				if b.rank.ID() == 1 {
					c.harm(b.table)
				}
				return b.verify()
			})
			require.Equal(t, c.errors, errors)
			require.Equal(t, c.wrong, wrong)
		})
	}
}

// both runs the kernel and the second run. harm changes the first batch of one rank in the same way in each.
func both(t *testing.T, harm func(rans []uint64) []uint64) (wrong []string) {
	spoil := func(b *bench, send func(rans []uint64)) func(rans []uint64) {
		done := b.rank.ID() != 1
		return func(rans []uint64) {
			if !done {
				done, rans = true, harm(rans)
			}
			send(rans)
		}
	}
	_, wrong = run(t, func(b *bench) error { return b.pass(spoil(b, b.updates("update", b.count))) },
		func(b *bench) error { return b.check(spoil(b, b.updates("undo", b.see))) })
	return wrong
}

// Errors that occur in both runs leave every word right at the end.
func TestVerifierNoticesWhatIsWrongTwice(t *testing.T) {
	const missing, more = "1 pebble is missing of the 3072 that were sent",
		"2 more pebbles are handled or merged than the 3072 that were sent"
	require.Empty(t, both(t, func(rans []uint64) []uint64 { return rans }))
	require.Subset(t, both(t, func(rans []uint64) []uint64 { return rans[1:] }), []string{ofXOR,
		"the second run: " + missing, missing}, "lost")
	require.Subset(t, both(t, func(rans []uint64) []uint64 { return append(rans, rans[0], rans[0]) }),
		[]string{"the second run: " + more, more}, "three times")
	require.Equal(t, []string{ofXOR}, both(t, func(rans []uint64) []uint64 { rans[1] = rans[0]; return rans }),
		"lost, and another twice")
	require.Equal(t, []string{ofXOR}, both(t, func(rans []uint64) []uint64 { rans[1] ^= 1 << 40; return rans }), "altered")
}

// The second run of many processes uses the links of a hypercube, but other routes.
func TestBackwards(t *testing.T) {
	for bits := 2; bits <= 8; bits++ {
		ranks := 1 << bits
		second, first := backwards(bits)(ranks), route.Hypercube(ranks)
		for rank := range ranks {
			require.ElementsMatch(t, first.Neighbors(rank), second.Neighbors(rank))
		}
		require.Equal(t, 1, first.Next(0, ranks-1))
		require.Equal(t, ranks/2, second.Next(0, ranks-1))
	}
}

// Updates that reach a rank that does not own their words are counted, for any number of words.
func TestForeign(t *testing.T) {
	for _, ranks := range []uint64{1, 2, 3, 4, 7, 8} {
		w := words{total: ranks * 64, own: 64}
		rans := make([]uint64, 1000)
		fill(rans, number(12345))
		for rank := range ranks {
			want := uint64(0)
			for _, ran := range rans {
				if w.key(ran)/64 != rank {
					want++
				}
			}
			require.Equal(t, want, w.foreign(64*rank, rans))
			own := slices.DeleteFunc(slices.Clone(rans), func(ran uint64) bool { return w.key(ran)/64 != rank })
			require.Zero(t, w.foreign(64*rank, own))
		}
	}
}

// A run of many updates allocates about as much as a run of few.
func TestNoAllocationPerUpdate(t *testing.T) {
	for _, cache := range []int{0, 64} {
		appstest.SameMallocs(t, cache, 4*60<<12, appstest.Once(Run, Config{Log2Words: 12, UpdatesPerWord: 4}),
			appstest.Once(Run, Config{Log2Words: 12, UpdatesPerWord: 64}))
	}
}

// TestFillFollowsTheStream fills batches of all lengths up to several parts, from various positions in the stream.
func TestFillFollowsTheStream(t *testing.T) {
	for n := range 301 {
		rans := make([]uint64, n)
		ran := number(uint64(n) << 40)
		last := fill(rans, ran)
		for i, got := range rans {
			ran = next(ran)
			require.Equal(t, ran, got, "number %d of %d", i, n)
		}
		require.Equal(t, ran, last)
	}
}
