package netiotest

import (
	"fmt"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// controlPasses lets rank 0 send much data to the last rank, then a control frame. The receiver releases nothing before
// the control frame has arrived.
func controlPasses(w *world) {
	const count, bytes = 256, 64 << 10 // more than sockets hold, at both ends
	last := len(w.ports) - 1
	w.each(func(rank int, p netio.Port) error {
		if rank == 0 {
			for range count {
				p.Send(Frame(p, netio.Data, 0, last, bytes))
			}
			p.Send(Frame(p, netio.Control, 0, last, 8))
		}
		if rank == last {
			must(holdUntilControl(p, count))
		}
		return allBack(p)
	})
	w.checkReceived()
}

func holdUntilControl(p netio.Port, count int) error {
	var held []*netio.Frame
	for passed := false; !passed; {
		f, err := recv(p)
		if err != nil {
			return fmt.Errorf("hold %d data frames: %w", len(held), err)
		}
		held = append(held, f)
		passed = f.Kind == netio.Control
	}
	rest := count + 1 - len(held)
	for _, f := range held {
		f.Release()
	}
	for range rest {
		f, err := recv(p)
		if err != nil {
			return err
		}
		f.Release()
	}
	return nil
}

// wakeIsNotLost calls Wake before, during and between waits. A lost wake-up would block until the test's time limit.
func wakeIsNotLost(w *world) {
	w.each(func(rank int, p netio.Port) error {
		p.Wake()
		p.Wait(-1)
		p.Wait(time.Microsecond)
		const rounds = 300 * times
		turn := make(chan struct{})
		var waker sync.WaitGroup
		waker.Go(func() {
			for range turn {
				p.Wake()
			}
		})
		for range rounds {
			turn <- struct{}{}
			p.Wait(-1)
		}
		close(turn)
		waker.Wait()
		return nil
	})
}

// pingPong passes one frame around all ranks, which wait without limit.
func pingPong(w *world) {
	ring(w, 200*times, func(p netio.Port) { p.Wait(-1) })
}

// pausing is pingPong with ranks that never wait.
func pausing(w *world) {
	ring(w, 50, netio.Port.Pause)
}

func ring(w *world, rounds int, idle func(netio.Port)) {
	ranks := len(w.ports)
	w.each(func(rank int, p netio.Port) error {
		if rank == 0 {
			p.Send(Frame(p, netio.Control, 0, 1%ranks, 8))
		}
		for i := range rounds {
			f := p.Recv()
			for ; f == nil; f = p.Recv() {
				idle(p)
			}
			f.Release()
			if rank != 0 || i < rounds-1 {
				p.Send(Frame(p, netio.Control, rank, (rank+1)%ranks, 8))
			}
		}
		for p.Pool().Lent() > 0 {
			idle(p)
		}
		return nil
	})
	w.checkReceived()
}

// releaseByOthers passes received frames to another goroutine, and waits without limit for frames to return.
func releaseByOthers(w *world) {
	const count, budget = 200 * times, 16 << 10
	ranks := len(w.ports)
	w.each(func(rank int, p netio.Port) error {
		away := make(chan *netio.Frame, count)
		var releaser sync.WaitGroup
		releaser.Go(func() {
			for f := range away {
				f.Release()
			}
		})
		got := 0
		take := func() {
			for f := p.Recv(); f != nil; f = p.Recv() {
				got++
				away <- f
			}
		}
		for i := range count {
			for take(); p.Pool().Lent() >= budget; take() {
				p.Wait(-1)
			}
			p.Send(Frame(p, netio.Data, rank, (rank+1+i%ranks)%ranks, 1000))
		}
		for take(); got < count; take() {
			p.Wait(-1)
		}
		close(away)
		releaser.Wait()
		for p.Pool().Lent() > 0 {
			p.Wait(-1)
		}
		return nil
	})
	w.checkReceived()
}

// backpressure sends to a rank that receives nothing: exactly the bytes that the sender permits itself are in flight,
// and neither end needs memory for more. Then the receiver takes one frame at a time, several times that number.
func backpressure(w *world) {
	const bytes, budget, count = 64 << 10, 1 << 20, 60
	last := len(w.ports) - 1
	if last == 0 {
		w.t.Skip("needs two ranks")
	}
	p, cost := w.ports[0], netio.FrameCost(bytes)
	sent := 0
	fill := func() {
		for p.Pool().Lent()+cost <= budget {
			p.Send(Frame(p, netio.Data, 0, last, bytes))
			sent++
		}
	}
	for range 3 { // nothing returns while the receiver is busy
		fill()
		p.Wait(10 * time.Millisecond)
	}
	require.EqualValues(w.t, budget/cost, sent, "frames that nobody received")
	for got := 0; got < sent; got++ {
		f, err := recv(w.ports[last])
		require.NoError(w.t, err)
		f.Release()
		if sent < count {
			require.NoError(w.t, await(p, "get room", func() (bool, error) { return p.Pool().Lent()+cost <= budget, nil }))
			fill()
		}
		require.LessOrEqual(w.t, sent-got-1, int(budget/cost))
	}
	w.each(func(_ int, p netio.Port) error { return allBack(p) })
	w.checkReceived()
	require.LessOrEqual(w.t, p.Pool().Peak(), int64(budget))
	for _, tr := range w.transports {
		if l, ok := tr.(Lender); ok {
			require.LessOrEqual(w.t, l.ReceivedPeak(), int64(budget), "what the sender is bound by")
		}
	}
}
