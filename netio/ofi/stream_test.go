package ofi

import (
	"cmp"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// Streams run in both directions at once between two processes: frames of one size, each way with a window in bytes.
const (
	streamBytes  = 6 << 10 // default frame of RandomAccess
	streamWindow = 1 << 20
)

func streamFrame(b *testing.B) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("PEBBLES_STREAM_BYTES"), strconv.Itoa(streamBytes)))
	require.NoError(b, err)
	require.LessOrEqual(b, n, eagerMax)
	b.SetBytes(int64(n))
	return n
}

// streamFabrics opens the ends of a stream, of the provider that PEBBLES_PROVIDER names, or of the loopback.
func streamFabrics() func(int) (fabric, error) {
	if provider := os.Getenv(providerVariable); provider != "" {
		return ends(provider, 2)
	}
	return (&loopback{}).ends
}

// BenchmarkBareStream measures the fabric itself: each packet is a frame, nothing reads it, and an end may be a window
// ahead of its received bytes. Compare BenchmarkFrameStream.
func BenchmarkBareStream(b *testing.B) {
	bytes, open := streamFrame(b), streamFabrics()
	var ends [2]bareEnd
	for i := range ends {
		f, err := open(i)
		require.NoError(b, err)
		ends[i].init(b, f, bytes)
	}
	var err error
	ends[0].peer, err = ends[0].Link(ends[1].Address())
	require.NoError(b, err)
	ends[1].peer, err = ends[1].Link(ends[0].Address())
	require.NoError(b, err)
	both(b, func(i, n int) { ends[i].run(b, n) })
	for i := range ends {
		ends[i].Close()
	}
}

// both runs the two ends, once before the timed run.
func both(b *testing.B, end func(i, n int)) {
	run := func(n int) {
		var running sync.WaitGroup
		for i := range 2 {
			running.Go(func() { end(i, n) })
		}
		running.Wait()
	}
	run(1000)
	b.ResetTimer()
	run(b.N)
	b.StopTimer()
}

// bareEnd is an end of a bare stream. Tags below bareSlots are those of its slots, the others those of its slabs.
type bareEnd struct {
	fabric

	peer           uint64
	bytes          int
	slots, slabs   region
	spare          []uint32
	sent, received int // in total
	events         [eventsMax]event
}

const bareSlots, bareSlabs = 64, 4

func (e *bareEnd) init(b *testing.B, f fabric, bytes int) {
	e.fabric, e.bytes = f, bytes
	var err error
	e.slots, err = f.Register(mapped(bareSlots*packetLarge), random())
	require.NoError(b, err)
	e.slabs, err = f.Register(mapped(bareSlabs*slabBytes), random())
	require.NoError(b, err)
	for tag := range uint32(bareSlabs) {
		e.post(b, bareSlots+tag)
	}
	for slot := range uint32(bareSlots) {
		e.spare = append(e.spare, slot)
	}
}

func (e *bareEnd) post(b *testing.B, tag uint32) {
	from := int(tag-bareSlots) * slabBytes
	require.NoError(b, e.Post(e.slabs.mem[from:][:slabBytes], e.slabs, tag))
}

func (e *bareEnd) run(b *testing.B, n int) {
	last, window := e.sent+n, streamWindow/e.bytes
	for e.sent < last || e.received < last || len(e.spare) < bareSlots {
		for len(e.spare) > 0 && e.sent < last && e.sent-e.received < window {
			slot := e.spare[len(e.spare)-1]
			from := int(slot) * packetLarge
			if err := e.Send(e.peer, e.slots.mem[from:][:e.bytes], e.slots, slot); err != nil {
				require.ErrorIs(b, err, errBusy)
				break
			}
			e.spare = e.spare[:len(e.spare)-1]
			e.sent++
		}
		got, err := e.Poll(e.events[:])
		require.NoError(b, err)
		if got == 0 {
			cpu.Yield() // the other end may share the processor
		}
		for _, event := range e.events[:got] {
			require.NoError(b, event.err)
			if event.tag < bareSlots {
				e.spare = append(e.spare, event.tag)
			} else if event.packet != nil {
				e.received++
			}
			if event.left {
				e.post(b, event.tag)
			}
		}
	}
}

// BenchmarkFrameStream sends the same frames by ports.
func BenchmarkFrameStream(b *testing.B) {
	bytes := streamFrame(b)
	all := dial(b, netiotest.Configs(b, 2, 2), Options{All: true}, streamFabrics())
	startAll(b, all)
	both(b, func(i, n int) { streamFrames(all[i].Port(i), i, bytes, n) })
	_ = netiotest.CloseAll(all)
}

func streamFrames(p netio.Port, rank, bytes, n int) {
	pool := p.Pool()
	for sent, received, idle := 0, 0, 0; sent < n || received < n || pool.Lent() > 0; {
		did := false
		for sent < n && pool.Lent() < streamWindow {
			netiotest.Send(p, rank, 1-rank, bytes)
			sent++
			did = true
		}
		if f := p.Recv(); f != nil {
			f.Release()
			received++
			did = true
		}
		switch {
		case did:
			idle = 0
		case idle < 256:
			idle++
			p.Pause()
		default:
			p.Wait(time.Second)
		}
	}
}
