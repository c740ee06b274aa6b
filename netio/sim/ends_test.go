package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/sim"
)

// port runs two ranks on one host, each in its own process, with only the ports between them.
func port(t *testing.T, end sim.End, first, second func(netio.Port)) {
	n := sim.Network{Name: "ends", RanksPerProcess: 1, ProcessesPerHost: 2, Ends: sim.Ends{Host: end}}
	n.Host.Latency = 1e-3
	_, err := each(t, sim.Config{Ranks: 2, Network: n}, func(tr netio.Transport) error {
		rank := tr.Place().First
		f := func() { []func(netio.Port){first, second}[rank](tr.Port(rank)) }
		require.True(t, netio.RunRanks(tr, []func(){f}, t.Context().Done(), netio.Grace{Time: time.Minute}))
		return tr.Close()
	})
	require.NoError(t, err)
}

// send sends a frame of the given size to rank 1, and returns the time that it took.
func send(p netio.Port, bytes int) time.Duration {
	f := netiotest.Frame(p, netio.Data, 0, 1, bytes)
	start := p.Now()
	p.Send(f)
	return p.Now() - start
}

// take waits for a frame, and returns the time of its reception.
func take(p netio.Port) time.Duration {
	for {
		start := p.Now()
		if f := p.Recv(); f != nil {
			f.Release()
			return p.Now() - start
		}
		p.Wait(-1)
	}
}

// TestFramesCostTheirEnds charges each end for each byte, and for each batch: frames that leave without a pause between
// them, up to 64 KiB and within a millisecond.
func TestFramesCostTheirEnds(t *testing.T) {
	const each, batch = 1000 * 3 * time.Nanosecond, 50 * time.Microsecond
	want := []time.Duration{
		batch + each, each, batch + each, each, batch + each, each,
		batch + 22*each, 22 * each, 22 * each, batch + 22*each,
	}
	var sent, taken []time.Duration
	port(t, sim.End{PerByte: 3e-9, Batch: 50e-6}, func(p netio.Port) {
		sent = append(sent, send(p, 1000), send(p, 1000))
		p.Pause()
		sent = append(sent, send(p, 1000), send(p, 1000))
		p.(netio.Meter).Compute(2 * time.Millisecond)
		sent = append(sent, send(p, 1000), send(p, 1000))
		p.Pause()
		for range 4 {
			sent = append(sent, send(p, 22000))
		}
		p.Wait(time.Second)
	}, func(p netio.Port) {
		for range want {
			taken = append(taken, take(p))
		}
	})
	require.Equal(t, want, sent)
	require.Equal(t, want, taken, "what opens a batch for its sender does so for its receiver")
}

// TestNoBatches requires that batches without a price do not exist.
func TestNoBatches(t *testing.T) {
	port(t, sim.End{PerByte: 1e-9}, func(p netio.Port) {
		require.Equal(t, 100*time.Nanosecond, send(p, 100))
		p.Wait(time.Second)
	}, func(p netio.Port) {
		require.Equal(t, 100*time.Nanosecond, take(p))
	})
}

const (
	call    = 50 * time.Microsecond // of a batch, for either end
	latency = time.Millisecond      // of port's links
)

// home waits until at most the given number of bytes is lent, and returns the time.
func home(p netio.Port, lent int64) time.Duration {
	for p.Recv(); p.Pool().Lent() > lent; p.Recv() {
		p.Wait(-1)
	}
	return p.Now()
}

// TestReceiptsCostBothEnds requires that the acks of a waiting rank form a batch, which both ends pay.
func TestReceiptsCostBothEnds(t *testing.T) {
	port(t, sim.End{Batch: call.Seconds()}, func(p netio.Port) {
		send(p, 100)
		require.InDelta(t, 2*latency+4*call, home(p, 0), 20, "sent, received, acknowledged and read")
	}, func(p netio.Port) {
		take(p)
		start := p.Now()
		p.Wait(time.Nanosecond)
		require.InDelta(t, call, p.Now()-start, 5)
	})
}

// TestReceiptsTravelWithFrames requires that acks travel free of charge with frames for the same process.
func TestReceiptsTravelWithFrames(t *testing.T) {
	port(t, sim.End{Batch: call.Seconds()}, func(p netio.Port) {
		send(p, 100)
		require.InDelta(t, 2*latency+4*call, home(p, 0), 20, "the ack's frame opens a batch, which costs both ends")
	}, func(p netio.Port) {
		take(p)
		p.Send(netiotest.Frame(p, netio.Control, 1, 0, 8))
		start := p.Now()
		p.Wait(time.Nanosecond)
		require.Less(t, p.Now()-start, call, "no ack is pending")
	})
}

// TestReceiptsWait requires that a rank that pauses with many frames in flight sends the prompt acks: of the first
// frames, and then of every fourth.
func TestReceiptsWait(t *testing.T) {
	const frames = 8
	port(t, sim.End{Batch: call.Seconds()}, func(p netio.Port) {
		for range frames {
			send(p, 100)
		}
		for left := int64(frames); left > 0; left-- {
			home(p, (left-1)*netio.FrameCost(100))
		}
	}, func(p netio.Port) {
		var paid []bool
		for range frames {
			take(p)
			start := p.Now()
			p.Pause()
			paid = append(paid, p.Now()-start >= call)
		}
		require.Equal(t, []bool{true, true, true, true, false, true, false, true}, paid)
	})
}
