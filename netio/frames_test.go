package netio

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewestFirst takes frames out of a stack and puts others before and behind them.
func TestNewestFirst(t *testing.T) {
	var s Stack
	for seq := range uint64(3) {
		s.Push(&Frame{Header: Header{Seq: seq}})
	}
	all := s.TakeNewest()
	all.PushFront(&Frame{Header: Header{Seq: 3}})
	all.Push(&Frame{Header: Header{Seq: 9}})
	for _, seq := range []uint64{3, 2, 1, 0, 9} {
		require.Equal(t, seq, all.Shift().Seq)
	}
	require.True(t, all.Empty())
	none := s.TakeNewest()
	none.PushFront(&Frame{})
	none.Push(&Frame{})
	require.NotNil(t, none.Shift())
	require.NotNil(t, none.Shift())
}

// TestShiftOr requires that an empty queue continues with a stack's frames, oldest first, and returns the frame behind.
func TestShiftOr(t *testing.T) {
	var all [4]Frame
	var q Frames
	var s Stack
	f, next := q.ShiftOr(&s)
	require.Nil(t, f)
	require.Nil(t, next)
	q.Push(&all[0])
	for i := range all[1:] {
		s.Push(&all[1+i])
	}
	for i, behind := range []*Frame{nil, &all[2], &all[3], nil} { // an empty queue looks at the stack
		f, next = q.ShiftOr(&s)
		require.Same(t, &all[i], f)
		require.True(t, next == behind, i)
	}
}

// TestStackLosesNothing lets many goroutines push while one takes. Each pusher's frames come out in their order.
func TestStackLosesNothing(t *testing.T) {
	const pushers, count = 4, 5000
	var s Stack
	var all sync.WaitGroup
	for i := range pushers {
		all.Go(func() {
			for seq := range count {
				s.Push(&Frame{Header: Header{From: uint32(i), Seq: uint64(seq)}})
			}
		})
	}
	var last [pushers]uint64
	for got := 0; got < pushers*count; {
		all := s.Take()
		for f := all.Shift(); f != nil; f = all.Shift() {
			require.Equal(t, last[f.From], f.Seq)
			last[f.From]++
			got++
		}
	}
	all.Wait()
	require.True(t, s.Empty())
}
