package netio

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStackLosesNothing lets many push while one takes; each pusher's frames come out in their order.
func TestStackLosesNothing(t *testing.T) {
	const pushers, count = 4, 5000
	var s stack
	var all sync.WaitGroup
	for i := range pushers {
		all.Go(func() {
			for seq := range count {
				s.push(&Frame{Header: Header{From: uint32(i), Seq: uint64(seq)}})
			}
		})
	}
	var last [pushers]uint64
	for got := 0; got < pushers*count; {
		for f := reverse(s.takeAll()); f != nil; f = f.next {
			require.Equal(t, last[f.From], f.Seq)
			last[f.From]++
			got++
		}
	}
	all.Wait()
	require.True(t, s.empty())
}

// TestParkingLosesNoWakeUp hands one frame at a time to a station that waits without limit: a lost wake-up hangs.
func TestParkingLosesNoWakeUp(t *testing.T) {
	const rounds = 20000
	all := newStations(PlaceOf(2, 1, 0))
	a, b := all[0], all[1]
	echo := func(from, to *station) {
		f := from.Recv()
		for ; f == nil; f = from.Recv() {
			from.Wait(-1)
		}
		to.deliver(f)
	}
	var other sync.WaitGroup
	other.Go(func() {
		for range rounds {
			echo(b, a)
		}
	})
	b.deliver(a.pool.Get(1))
	for range rounds - 1 {
		echo(a, b)
	}
	other.Wait()
	a.Recv().Release()
	require.Zero(t, a.pool.Lent())
}

// TestOutboxReleasesWhatComesLate puts while the outbox closes: whoever is later, all frames come back.
func TestOutboxReleasesWhatComesLate(t *testing.T) {
	const putters, count = 4, 100
	for range 50 {
		o := outbox{parking: newParking()}
		pools := make([]*Pool, putters)
		var all sync.WaitGroup
		for i := range pools {
			pools[i] = NewPool(nil)
			all.Go(func() {
				for range count {
					o.put(pools[i].Get(1))
				}
			})
		}
		all.Go(o.close)
		all.Wait()
		for _, p := range pools {
			require.Zero(t, p.Lent())
		}
	}
}
