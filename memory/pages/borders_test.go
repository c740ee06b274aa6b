package pages

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// ranks runs two ranks of this process, with pages of 64 bytes.
func ranks(t *testing.T, body func(s *Space) error) {
	t.Helper()
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		return body(New(memory.New(r), Config{PageBytes: pageBytesMin}))
	}))
}

// Notices of neighbouring pages name each of them: around the number of pages of a word, twice that, and where the ring
// wraps.
func TestNoticesAtTheBordersOfAWord(t *testing.T) {
	for _, n := range []int{countMax - 1, countMax, countMax + 1, 2 * countMax, 2*countMax + 1} {
		for _, from := range []uint64{0, logWords - 1, logWords} {
			l := logs{own: make([]uint64, logWords), time: []uint64{from}}
			var list []written
			for page := range n {
				list = append(list, written{1, uint32(page)})
			}
			_, words := l.file(list)
			require.Equal(t, (n+countMax-1)/countMax, words, "words of %d pages", n)
			next := 0
			for place := from; place < l.time[0]; place++ {
				w := notice(l.own[place%logWords])
				require.True(t, w.at(place), "the word of place %d", place)
				require.Equal(t, next, w.page(), "%d pages", n)
				next += w.count()
			}
			require.Equal(t, n, next)
		}
	}
}

// Copies of pages whose home is near end with the interval that needed them. Then the home's own memory is used,
// without twins, in each round.
func TestBorrowedCopiesGoBack(t *testing.T) {
	const n = 16 * pageBytesMin
	ranks(t, func(s *Space) error {
		v := NewSlice[uint8](s, "numbers", distribution.Block(n, 2))
		me := uint64(s.Rank().ID())
		for round := range 3 {
			for i, got := range v.Read(0, n) { // more than one home has
				if got != uint8(round) {
					return fmt.Errorf("round %d: element %d is %d", round, i, got)
				}
			}
			if err := s.Barrier(); err != nil {
				return err
			}
			require.Empty(t, s.borrowed, "copies of near pages, behind the interval")
			require.Zero(t, s.valid, "valid copies")
			for i := range v.Write(me*n/2, (me+1)*n/2) {
				v.Write(me*n/2, (me+1)*n/2)[i]++
			}
			require.Zero(t, s.counts.Twins, "twins of pages that are near")
			if err := s.Barrier(); err != nil {
				return err
			}
		}
		return v.Free()
	})
}

// When a slice was freed and all is at rest, the space holds nothing for it.
func TestNothingIsHeldAtRest(t *testing.T) {
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := New(memory.New(r), Config{PageBytes: pageBytesMin, Copies: true})
		for range 2 {
			v := NewSlice[uint8](s, "numbers", distribution.Block(999, 2))
			w := v.Write(0, 999)
			for i := r.ID(); i < len(w); i += 2 {
				w[i] = 1
			}
			if err := s.Barrier(); err != nil {
				return err
			}
			require.Len(t, v.Read(0, 999), 999)
			if err := s.Barrier(); err != nil {
				return err
			}
			if err := v.Free(); err != nil {
				return err
			}
			require.Empty(t, s.twins)
			require.Empty(t, s.waiters)
			require.False(t, s.busy)
			require.Zero(t, s.valid, "valid copies")
			require.Equal(t, s.spareBytes(), s.held, "bytes of copies, beside twins that nobody uses")
		}
		return nil
	}))
}

// Notices of an interval reach others in any number: the limit of a barrier, the limit of the ring, and more.
func TestNoticesAtTheBordersOfTheLog(t *testing.T) {
	for _, written := range []int{newsMax, newsMax + 1, logWords, logWords + 1} {
		t.Run(fmt.Sprint(written), func(t *testing.T) {
			const between = 2 * pageBytesMin // pages that are no neighbours: a word of notices each
			n := uint64(written * between)
			require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
				s := New(memory.New(r), Config{PageBytes: pageBytesMin, Copies: true})
				v := NewSlice[uint8](s, "numbers", distribution.Block(n, 2))
				for round := range uint8(3) {
					all := v.Read(0, n)
					for i := uint64(0); i < n; i += between {
						if all[i] != round {
							return fmt.Errorf("round %d, rank %d: element %d is %d", round, r.ID(), i, all[i])
						}
					}
					if err := s.Barrier(); err != nil {
						return err
					}
					for i := uint64(0); i < n && r.ID() == 1; i += between {
						v.Write(i, i+1)[0] = round + 1
					}
					if err := s.Barrier(); err != nil {
						return err
					}
				}
				require.EqualValues(t, 3*written*r.ID(), s.Counts().Notices)
				return v.Free()
			}))
		})
	}
}

// A rank that only takes and releases a lock in its own memory never waits. It leaves a failed job nevertheless.
func TestNearLocksNoticeAFailure(t *testing.T) {
	held := 0 // by rank 0
	err := pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		l := NewLock(New(memory.New(r), Config{}), "near", 0)
		for r.ID() == 0 {
			l.Lock()
			held++
			l.Unlock()
		}
		return errors.New("rank 1 has failed")
	})
	require.ErrorContains(t, err, "rank 1 has failed")
	require.NotContains(t, err.Error(), "did not return")
	t.Logf("the lock was held %d times", held)
}
