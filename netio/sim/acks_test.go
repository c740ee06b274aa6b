package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
)

const (
	call    = 50 * time.Microsecond // of a batch, for either end
	latency = time.Millisecond      // of port's links
)

// home waits until so many bytes are lent at most, and tells when that is so.
func home(p netio.Port, lent int64) time.Duration {
	for p.Recv(); p.Pool().Lent() > lent; p.Recv() {
		p.Wait(-1)
	}
	return p.Now()
}

// Word of a release is a batch of its own when its rank waits, and costs both ends what a batch does.
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

// Word of a release goes with what is sent to the same process anyway, at no price.
func TestReceiptsTravelWithFrames(t *testing.T) {
	port(t, sim.End{Batch: call.Seconds()}, func(p netio.Port) {
		send(p, 100)
		require.InDelta(t, 2*latency+4*call, home(p, 0), 20, "the frame that it came with opens a batch, which costs both ends")
	}, func(p netio.Port) {
		take(p)
		f := p.Pool().Get(8)
		f.Kind, f.From, f.To, f.Bytes = netio.Control, 1, 0, 8
		p.Send(f)
		start := p.Now()
		p.Wait(time.Nanosecond)
		require.Less(t, p.Now()-start, call, "no ack is pending")
	})
}

// Of many frames in flight, a rank that pauses sends the acks that were asked for promptly: of the first ones, and then
// of one in a quarter.
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
