package local

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

func pair() (a, b *Port) {
	all := NewPorts(netio.PlaceOf(2, 1, 0))
	return all[0], all[1]
}

func small(s *Port, account *netio.Account, seq uint64) *netio.Frame {
	f := s.pool.Get(16)
	f.Kind, f.From, f.To, f.Bytes, f.Seq = netio.Data, s.rank, 1-s.rank, 16, seq
	f.Payload()[0], f.Payload()[15] = byte(seq), byte(seq>>8)
	f.Charge(account)
	return f
}

// TestSmallFramesAreLentAgainAtOnce counts the frames in flight while the sender has its frame and the receiver a copy.
func TestSmallFramesAreLentAgainAtOnce(t *testing.T) {
	const count = inlineSlots - 1
	a, b := pair()
	var account netio.Account
	a.pool.Own(&account)
	var only *netio.Frame
	for seq := range uint64(count) {
		f := small(a, &account, seq)
		if only == nil {
			only = f
		}
		require.Same(t, only, f)
		a.Pass(f, b)
	}
	require.EqualValues(t, count, account.InFlight())
	require.Equal(t, count*netio.FrameCost(frame.InlineMax), a.pool.Lent())
	var held []*netio.Frame
	for seq := range uint64(count) {
		f := b.Recv()
		require.Equal(t, netio.Header{Kind: netio.Data, To: 1, Bytes: 16, Seq: seq}, f.Header)
		require.Equal(t, []byte{byte(seq), byte(seq >> 8)}, []byte{f.Payload()[0], f.Payload()[15]})
		held = append(held, f)
	}
	require.Nil(t, b.Recv())
	for i, f := range held {
		require.Equal(t, int64(count-i)*netio.FrameCost(frame.InlineMax), a.pool.Lent())
		require.EqualValues(t, count-i, account.InFlight())
		f.Release()
	}
	require.EqualValues(t, 1, account.InFlight(), "the last has not been collected")
	back := a.pool.Back()
	require.Zero(t, a.pool.Lent())
	require.Zero(t, account.InFlight())
	require.Equal(t, back+1, a.pool.Back())
	require.Zero(t, account.InFlight())
}

// TestFullInlineRing sends more frames than the ring has slots: the others change hands whole. All are charged once.
func TestFullInlineRing(t *testing.T) {
	const count = 3*inlineSlots + 5
	a, b := pair()
	accounts := make([]netio.Account, 3) // no pool owns the last, and its frames do not travel by value
	a.pool.Own(&accounts[0])
	a.pool.Own(&accounts[1])
	for round := range 3 {
		for seq := range uint64(count) {
			a.Pass(small(a, &accounts[seq%3], seq), b)
		}
		seen := make([]bool, count)
		for range count {
			f := b.Recv()
			require.NotNil(t, f)
			require.False(t, seen[f.Seq])
			seen[f.Seq] = true
			f.Release()
		}
		require.Nil(t, b.Recv(), "round %d", round)
		require.Zero(t, a.pool.Lent())
		for i := range accounts {
			require.Zero(t, accounts[i].InFlight())
		}
	}
}

// TestControlFramesAreNotAwaited sends control frames, charged to an account or not: they return when they have left.
func TestControlFramesAreNotAwaited(t *testing.T) {
	a, b := pair()
	var account netio.Account
	for seq := range uint64(10) {
		f := a.pool.Get(80)
		f.Kind, f.Bytes, f.Seq, f.To = netio.Control, 80, seq, 1
		if seq%2 == 0 {
			f.Charge(&account)
		}
		a.Pass(f, b)
		require.Zero(t, a.pool.Lent())
		require.Zero(t, account.InFlight())
	}
	for seq := range uint64(10) {
		f := b.Recv()
		require.Equal(t, seq, f.Seq)
		f.Release()
	}
	require.Zero(t, a.pool.Lent())
}

// TestInlineRingUnderCredit lets three ranks send to the fourth within credit, while others release its frames.
func TestInlineRingUnderCredit(t *testing.T) {
	const senders, count, credit = 3, 20_000, 7
	all := NewPorts(netio.PlaceOf(senders+1, 1, 0))
	to := all[senders]
	released := make(chan *netio.Frame, 64)
	var others sync.WaitGroup
	for _, s := range all[:senders] {
		others.Go(func() {
			var account netio.Account
			s.pool.Own(&account)
			for seq := range uint64(count) {
				for idle := 0; account.InFlight() >= credit; idle++ {
					s.pool.Lent()
					if account.InFlight() >= credit && idle > 10 {
						s.Wait(-1)
					}
				}
				f := s.pool.Get(8)
				f.Kind, f.From, f.To, f.Bytes, f.Seq = netio.Data, s.rank, senders, 8, seq
				f.Charge(&account)
				s.Pass(f, to)
			}
			for s.pool.Lent() > 0 {
				s.Wait(-1)
			}
		})
	}
	others.Go(func() {
		for f := range released {
			f.Release()
		}
	})
	held := make([]int, senders)
	next := make([]uint64, senders)
	for got := 0; got < senders*count; got++ {
		f := to.Recv()
		for ; f == nil; f = to.Recv() {
			to.Wait(-1)
		}
		held[f.From]++
		next[f.From] += f.Seq
		if got%5 == 0 {
			released <- f
		} else {
			f.Release()
		}
	}
	close(released)
	others.Wait()
	for from := range held {
		require.Equal(t, count, held[from])
		require.EqualValues(t, count*(count-1)/2, next[from])
	}
}
