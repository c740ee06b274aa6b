package alltoall

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// The items of these tests come to rank 1 of 3, in 4 rounds.
const (
	self   = 1
	ranks  = 3
	rounds = 4
	due    = rounds * (ranks - 1)
)

var seeded = pattern{77}

// all are the items that must come.
func all[B words]() (its []item[B]) {
	for from := range ranks {
		c := newCourse(from, ranks)
		sent := make([]item[B], due)
		fill(sent, seeded.from(from, ranks), &c)
		for _, it := range sent {
			if it.To == self {
				its = append(its, it)
			}
		}
	}
	return its
}

func errorsOf[B words](its []item[B]) uint64 {
	in := newInbox(seeded, self, ranks, rounds)
	receive(in, its)
	return in.faults().errors()
}

func TestVerifierCounts(t *testing.T) {
	t.Run("8", counts[[1]uint64])
	t.Run("16", counts[[2]uint64])
	t.Run("32", counts[[4]uint64])
	t.Run("64", counts[[8]uint64])
}

// counts goes through all ways in which one or two items can go wrong.
func counts[B words](t *testing.T) {
	whole := all[B]()
	require.Len(t, whole, due)
	require.Zero(t, errorsOf(whole))
	require.EqualValues(t, due, errorsOf[B](nil))
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
			require.EqualValues(t, 1, errorsOf(append(slices.Clone(without), bad)), "%d came with bit %d wrong", i, bit)
			require.EqualValues(t, 1, errorsOf(append(slices.Clone(whole), bad)), "%d came twice, once with bit %d wrong", i, bit)
		}
	}
}

// Rounds of which some are lost and others come twice are noticed, also where the sums of their numbers are the same,
// and of the squares and cubes of those.
func TestVerifierNoticesRoundsOfEqualSums(t *testing.T) {
	const rounds = 16
	for name, twice := range map[string][]uint64{ // the others are lost
		"sums":    {1, 2},                      // as 0 and 3
		"squares": {1, 2, 4, 7},                // as 0, 3, 5 and 6
		"cubes":   {1, 2, 4, 7, 8, 11, 13, 14}, // as the rest of the 16
	} {
		t.Run(name, func(t *testing.T) {
			in := newInbox(seeded, self, ranks, rounds)
			put := func(from uint32, round uint64) { in.put(from, seeded.first(from, self, round)) }
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

// Items that nobody sent to this rank are errors, even with the right bytes.
func TestVerifierNoticesStrangers(t *testing.T) {
	whole := all[[1]uint64]()
	for _, stranger := range []item[[1]uint64]{
		{To: 0, From: 2}, {To: self, From: self}, {To: self, From: ranks}, {To: self, From: 1 << 31}, {To: self, From: 0, Round: rounds},
	} {
		for _, to := range []uint32{stranger.To, self} {
			stranger.Words[0] = seeded.first(stranger.From, to, stranger.Round)
			in := newInbox(seeded, self, ranks, rounds)
			receive(in, append(slices.Clone(whole), stranger))
			require.Equal(t, Faults{Damaged: 1}, in.faults(), "%+v", stranger)
		}
	}
}

// opened is errorsOf for records of a codec.
func opened(t *testing.T, c codec, records [][]byte) uint64 {
	in := newInbox(seeded, self, ranks, rounds)
	for _, record := range records {
		l, err := c.Decode(record)
		require.NoError(t, err)
		in.open([]letter{l})
	}
	return in.faults().errors()
}

// Every bit of an item is looked at.
func TestVerifierLooksAtEveryBitOfCodedItems(t *testing.T) {
	for _, size := range []int{1, 2, 7, 8, 9, 13, 16, 100} {
		c := codec{seeded, size}
		var whole [][]byte
		for _, it := range all[[1]uint64]() {
			record, err := c.Append(nil, letter{To: it.To, From: it.From, Round: it.Round})
			require.NoError(t, err)
			require.Len(t, record, letterHead+size)
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
				if size < 8 && bit < 8*letterHead { // a few bytes may fit another item too: that is one lost and one twice
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

// Plain and coded items of one size have the same bytes.
func TestItemsHaveTheirBytes(t *testing.T) {
	for _, it := range all[[8]uint64]() {
		record, err := codec{seeded, 64}.Append(nil, letter{To: it.To, From: it.From, Round: it.Round})
		require.NoError(t, err)
		require.Equal(t, (*[80]byte)(unsafe.Pointer(&it))[:], record)
		short, err := codec{seeded, 61}.Append(nil, letter{To: it.To, From: it.From, Round: it.Round})
		require.NoError(t, err)
		require.Equal(t, record[:letterHead+61], short)
	}
}

// spoilt runs the whole benchmark with harm done to what one rank sends, and returns the errors that the job tells.
func spoilt(t *testing.T, harm func(its []item[[4]uint64]) []item[[4]uint64]) (errors uint64) {
	s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Hypercube}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b := newBench(r, Config{Bytes: 32, Rounds: rounds})
		t := target.New(r, "item", b.owner, target.Keys(itemKeys[[4]uint64]),
			target.Batch(func(its []item[[4]uint64]) { receive(b.inbox, its) }))
		err := r.Epoch(func() error {
			stream(b, func(its []item[[4]uint64]) {
				if r.ID() == 2 {
					its = harm(its)
				}
				t.SendAll(its)
			}, func(its []item[[4]uint64], c *course) { fill(its, b.inbox.pattern.from(r.ID(), ranks), c) })
			return nil
		}, pebble.Depth(1))
		if err != nil {
			return err
		}
		sum, err := apps.Sum(r, b.inbox.faults().errors())
		if r.ID() == 0 {
			errors = sum
		}
		return err
	}))
	return errors
}

func TestVerifierNoticesInAJob(t *testing.T) {
	type items = []item[[4]uint64]
	require.Zero(t, spoilt(t, func(its items) items { return its }))
	require.EqualValues(t, 1, spoilt(t, func(its items) items { return its[1:] }), "lost")
	require.EqualValues(t, due, spoilt(t, func(items) items { return nil }), "all lost")
	require.EqualValues(t, 1, spoilt(t, func(its items) items { return append(its, its[3]) }), "twice")
	require.EqualValues(t, 2, spoilt(t, func(its items) items { its[0] = its[5]; return its }), "lost and twice")
	require.EqualValues(t, 1, spoilt(t, func(its items) items { its[4].Words[3]++; return its }), "damaged")
	require.EqualValues(t, 2, spoilt(t, func(its items) items { its[0].To, its[1].To = its[1].To, its[0].To; return its }), "exchanged")
}
