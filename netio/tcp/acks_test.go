package tcp

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// post sends a data frame from rank 1 to rank 0 of a couple.
func post(both [2]*Transport, n int) {
	p := both[1].Port(1)
	p.Send(address(p, netio.Data, 1, 0, n))
}

// receiveAll receives without a Wait, which would flush pending acknowledgements.
func receiveAll(tr *Transport, n int) (all []*netio.Frame) {
	for len(all) < n {
		synctest.Wait()
		all = append(all, tr.Port(0).Recv())
	}
	return all
}

// releaseLate releases all frames except those whose sender wants a prompt acknowledgement.
func releaseLate(all []*netio.Frame) (prompt []*netio.Frame) {
	for _, f := range all {
		if f.Inside(access).Received.Prompt() {
			prompt = append(prompt, f)
		} else {
			f.Release()
		}
	}
	return prompt
}

// inFlightTo0 returns the number of frames that rank 1 has in flight.
func inFlightTo0(both [2]*Transport) int64 {
	synctest.Wait()
	return both[1].Port(1).Pool().Lent() / netio.FrameCost(100)
}

// TestAcknowledgementsAreNeverLate releases frames on a busy rank that doesn't come back to its port.
func TestAcknowledgementsAreNeverLate(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		const count = 256
		both, _, _ := couple(t)
		for range count {
			post(both, 100)
		}
		all := receiveAll(both[0], count)
		require.EqualValues(t, count, inFlightTo0(both))
		prompt := releaseLate(all)
		require.Less(t, len(prompt), count/2)
		require.EqualValues(t, count, inFlightTo0(both), "they gather")
		time.Sleep(inflight.DelayMax)
		require.EqualValues(t, len(prompt), inFlightTo0(both), "but not for long")
		releaseEach(prompt)
		require.Nil(t, both[0].Port(0).Recv())
		require.Zero(t, inFlightTo0(both), "prompt ones go when the rank looks for frames")
		post(both, 100)
		releaseEach(receiveAll(both[0], 1))
		require.EqualValues(t, 1, inFlightTo0(both))
		time.Sleep(inflight.DelayMax)
		require.Zero(t, inFlightTo0(both), "or by themselves")
	})
}

// TestParkingRankFlushesAcknowledgements makes a rank wait repeatedly, each time far shorter than inflight.DelayMax.
func TestParkingRankFlushesAcknowledgements(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		const count = 256
		both, _, _ := couple(t)
		for range 3 {
			for range count {
				post(both, 100)
			}
			prompt := releaseLate(receiveAll(both[0], count))
			require.EqualValues(t, count, inFlightTo0(both))
			both[0].Port(0).Wait(time.Nanosecond)
			require.EqualValues(t, len(prompt), inFlightTo0(both))
			releaseEach(prompt)
			both[0].Port(0).Pause()
			require.Zero(t, inFlightTo0(both))
		}
	})
}

func releaseEach(frames []*netio.Frame) {
	for _, f := range frames {
		f.Release()
	}
}

// TestAbortBringsFramesHome looks before the peer has been notified.
func TestAbortBringsFramesHome(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		both, _, silent := couple(t)
		post(both, 100)
		require.EqualValues(t, 1, inFlightTo0(both))
		silent.Store(true)
		both[1].Abort("enough")
		require.Zero(t, inFlightTo0(both))
	})
}

// TestLiarIsNamed makes process 1 acknowledge frames that it was never sent. All of process 0's frames come back, and
// its accounts are settled.
func TestLiarIsNamed(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		both, told, _ := couple(t)
		p := both[0].Port(0)
		for range 3 {
			p.Send(address(p, netio.Data, 0, 1, 100))
		}
		synctest.Wait()
		require.EqualValues(t, 3*netio.FrameCost(100), p.Pool().Lent())
		both[1].peer(0).streams[controlStream].out.push(message(acknowledgement, string(slotsOf(2, 17))))
		err := <-told[0]
		requireLost(t, err, 1)
		require.ErrorIs(t, err, netio.ErrDamaged)
		require.ErrorContains(t, err, "check acknowledgement")
		require.ErrorContains(t, err, "slot 17")
		synctest.Wait()
		require.Zero(t, p.Pool().Lent())
	})
}

// TestAcknowledgementsTravelTogether releases more frames at once than one message holds, in few messages.
func TestAcknowledgementsTravelTogether(t *testing.T) {
	const count = 3000
	tr, _ := streamReader(nil, dataStream)
	peer := tr.peer(1)
	received := peer.streams[dataStream].received.pool
	for i := range count {
		f := received.Get(10)
		f.Inside(access).Received = frame.NewNumber(uint32(i), i%100 == 0)
		f.Release()
	}
	require.Equal(t, count*netio.FrameCost(10), received.Lent(), "lent until the peer is told")
	seen := make([]bool, count)
	messages := 0
	var all netio.Frames
	first := peer.acks.collect(netio.NewPool(nil), &all)
	require.NotZero(t, first)
	seen[first-1] = true
	for m := all.Shift(); m != nil; m = all.Shift() {
		require.Equal(t, acknowledgement, m.Kind)
		messages++
		for b := m.Payload(); len(b) > 0; b = b[slotBytes:] {
			slot := int(b[0]) | int(b[1])<<8
			require.False(t, seen[slot])
			seen[slot] = true
		}
	}
	require.NotContains(t, seen, false)
	require.Equal(t, ((count-1)*slotBytes+ackBytesMax-1)/ackBytesMax, messages)
	require.Zero(t, received.Lent())
	tr.Close()
}

// TestHeadersAcknowledge releases a frame, with and without other frames in the other direction: no additional message
// is written, or one without a payload.
func TestHeadersAcknowledge(t *testing.T) {
	for _, frames := range []int{0, 1, 3} {
		tr, _ := streamReader(nil, dataStream)
		data := tr.peer(1).streams[dataStream]
		f := data.received.pool.Get(1)
		f.Inside(access).Received = frame.NewNumber(5, true)
		f.Release()
		for range frames {
			data.out.queue.Push(sample(netio.Data, 0, 2, "x"))
		}
		w := newWriter(data)
		w.frames = w.nextFrames()
		w.gather()
		require.Len(t, w.pieces[:w.count], max(1, frames))
		for i, b := range w.pieces[:w.count] {
			h, e, err := decodeHeader(b)
			require.NoError(t, err)
			require.Equal(t, frames == 0, h.Kind == acknowledgement)
			require.Len(t, b, frame.WireHeader+min(1, frames))
			require.Equal(t, i == 0, e.acks == 6)
		}
		require.Zero(t, w.acks)
		w.drop()
		tr.Close()
	}
}

// TestHeavyLaneLeavesAcknowledgementsToTheOther has so much data in flight that acknowledgements on the data stream
// would wait: never, before the release, or only after it, when the data stream's writer was already relied on.
func TestHeavyLaneLeavesAcknowledgementsToTheOther(t *testing.T) {
	for when, wakes := range map[string][2]bool{"never": {false, false}, "before": {true, true}, "after": {false, true}} {
		tr, _ := streamReader(nil, dataStream)
		peer := tr.peer(1)
		peer.streams[controlStream].up.Store(true)
		data, control := peer.streams[dataStream], &peer.streams[controlStream].out.parking
		heavy := func() {
			f := netio.NewPool(nil).Get(lightBytesMax + 1)
			f.Kind, f.Bytes = netio.Data, lightBytesMax+1
			peer.sent.enter(f)
			peer.sent.written(f)
		}
		w := writer{stream: data, messages: netio.NewPool(nil)} // it is awake
		control.Announce()
		if when == "before" {
			heavy()
		}
		f := data.received.pool.Get(1)
		f.Inside(access).Received = frame.NewNumber(0, true)
		f.Release()
		tr.acks.flushPrompt()
		require.Equal(t, wakes[0], !control.Announced(), when)
		if when == "after" {
			heavy()
		}
		require.Equal(t, wakes[1], data.idle(), when)
		require.Equal(t, wakes[1], !control.Announced(), when)
		taken := w.nextFrames()
		require.Equal(t, wakes[1], taken.Empty(), when)
		tr.Close()
	}
}

// TestSilenceLetsReceivedMemoryGo sends a heartbeat after frames.
func TestSilenceLetsReceivedMemoryGo(t *testing.T) {
	frames := join(sample(netio.Data, 2, 0, "abc"), sample(netio.Data, 3, 0, "def"), message(goodbye, ""))
	tr, r := streamReader(frames, dataStream)
	require.NoError(t, r.run())
	pool := r.stream.received.pool
	releaseEach([]*netio.Frame{tr.Port(0).Recv(), tr.Port(0).Recv()})
	tr.peer(1).acks.collect(netio.NewPool(nil), new(netio.Frames))
	require.Zero(t, pool.Lent())
	require.Equal(t, 2*netio.FrameCost(3), pool.Idle())
	r.feed(join(message(heartbeat, ""), message(goodbye, "")))
	require.NoError(t, r.run())
	require.Zero(t, pool.Idle())
	tr.Close()
}

// TestReceiverKeepsLittle lends frames of one size after another: earlier ones are freed, and after a silence all.
func TestReceiverKeepsLittle(t *testing.T) {
	const burst = 4 << 20
	r := receivePool{pool: netio.NewPool(nil)}
	most := int64(0)
	for _, n := range []int{8 << 10, 2 << 10, 64 << 10, 4 << 10, 32 << 10, 8 << 10} {
		for range 3 {
			var all []*netio.Frame
			for range burst / n {
				all = append(all, r.lend(n))
			}
			most = max(most, r.pool.Lent())
			for _, f := range all {
				f.Release()
			}
			require.LessOrEqual(t, r.pool.Lent()+r.pool.Idle(), 2*most)
		}
		require.Zero(t, testing.AllocsPerRun(10, func() {
			f, g := r.lend(n), r.lend(n)
			f.Release()
			g.Release()
		}))
	}
	require.LessOrEqual(t, r.pool.Peak(), 2*most)
	r.trim()
	require.Zero(t, r.pool.Idle())
}

// TestOutboxReleasesWhatComesLate puts frames while the outbox closes: in any order, all frames come back.
func TestOutboxReleasesWhatComesLate(t *testing.T) {
	const putters, count = 4, 100
	for range 50 {
		o := outbox{parking: idle.NewParking()}
		pools := make([]*netio.Pool, putters)
		var all sync.WaitGroup
		for i := range pools {
			pools[i] = netio.NewPool(nil)
			all.Go(func() {
				for range count {
					o.push(pools[i].Get(1))
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

// The writer of a served stream announces its rest, and then looks again.
func TestNoFrameIsLeftBeforeTheWriterRests(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		both, _, _ := couple(t)
		synctest.Wait() // the writers rest
		l := both[1].peer(0).streams[dataStream]
		l.out.parking.Once(0, func() { l.out.push(address(both[1].Port(1), netio.Data, 1, 0, 100)) })
		post(both, 100)
		for range 2 {
			synctest.Wait()
			f := both[0].Port(0).Recv()
			require.NotNil(t, f, "it is left with the writer")
			f.Release()
		}
	})
}
