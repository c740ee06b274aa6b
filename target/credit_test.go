package target_test

import (
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/covering"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// A slow rank holds its senders back, over every hop, and fills no rank's memory: each rank holds, for each neighbour,
// one frame that fills, one that waits for credit, and those in flight.
func TestSlowRankHoldsSendersBack(t *testing.T) {
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for _, credits := range []int{1, 3} {
			for each, coalesce := range map[int]int{100_000: 64, 2_000: 1} {
				c := pebble.Config{Ranks: 8, Topology: topology, Credits: credits, Coalesce: coalesce,
					BufferBudget: 1 << 30}
				sendToSlow(t, c, each, func(neighbors int) int64 {
					return int64(neighbors*(2+credits)) * netio.FrameCost(8*coalesce)
				})
			}
		}
	}
}

// The budget of frames in flight does the same if links have more credit.
func TestBudgetHoldsSendersBack(t *testing.T) {
	const budget = 16 << 10
	for each, coalesce := range map[int]int{20_000: 64, 2_000: 1} {
		c := pebble.Config{Ranks: 8, Credits: 1 << 20, Coalesce: coalesce, BufferBudget: budget}
		sendToSlow(t, c, each, func(neighbors int) int64 {
			return budget + int64(neighbors)*netio.FrameCost(8*coalesce)
		})
	}
}

// sendToSlow makes all ranks send each pebbles to a rank that is slow at first. No rank may hold more than bound, for
// its number of neighbours, plus some memory for detectors.
func sendToSlow(t *testing.T, c pebble.Config, each int, bound func(neighbors int) int64) {
	got := 0
	job(t, c, func(r *pebble.Rank) error {
		slow := target.New(r, "slow", distribution.Cyclic(8, 8), target.Key(func(uint64) uint64 { return 0 }),
			target.Batch(func(vs []uint64) {
				if got == 0 {
					time.Sleep(50 * time.Millisecond) // long enough for all others to reach their bounds
				}
				got += len(vs)
			}))
		err := epoch(r, func() {
			batch := make([]uint64, 1000)
			for range each / len(batch) {
				slow.SendAll(batch)
			}
		})
		neighbors := len(r.Config().Topology(8).Neighbors(r.ID()))
		require.LessOrEqual(t, r.Memory().Peak, bound(neighbors)+64*netio.FrameCost(64), "%+v", c)
		return err
	})
	require.Equal(t, 8*each, got)
}

// Pebbles that handlers send while a link has no credit wait at their sender, up to the memory limit.
func TestHandlersBeyondCreditRunIntoTheMemoryLimit(t *testing.T) {
	c := pebble.Config{Ranks: 2, Credits: 1, MemoryLimit: 1 << 20}
	err := run(t, c, func(r *pebble.Rank) error {
		var flood *target.Target[uint64]
		flood = target.New(r, "flood", distribution.Cyclic(2, 2),
			target.Key(func(v uint64) uint64 { return v % 2 }),
			target.Each(func(v uint64) {
				for range 3 {
					flood.Send(v + 1)
				}
			}))
		return r.Epoch(func() error { flood.Send(uint64(1 - r.ID())); return nil })
	})
	var limit *pebble.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "flood", limit.Target)
}

// gated is a transport of two ranks that lets rank 1 receive one data frame each time that rank 0 has nothing to do. It
// counts the frames that rank 0 has sent and rank 1 has not received: all of them are in flight.
type gated struct {
	netio.Transport

	mu       sync.Mutex
	inFlight int
	most     int
	first    int // in flight when rank 0 first had nothing to do since it began to send; 0 before
	open     int // frames that may be received
	held     []*netio.Frame
}

func (g *gated) Port(rank int) netio.Port { return gatedPort{g.Transport.Port(rank), g, rank} }

type gatedPort struct {
	netio.Port
	*gated
	rank int
}

func (p gatedPort) Send(f *netio.Frame) {
	if f.Kind == netio.Data && f.To == 1 {
		p.mu.Lock()
		p.inFlight++
		p.most = max(p.most, p.inFlight)
		p.mu.Unlock()
	}
	p.Port.Send(f)
}

func (p gatedPort) Recv() *netio.Frame {
	for f := p.Port.Recv(); f != nil; f = p.Port.Recv() {
		if p.rank == 0 || f.Kind == netio.Control {
			return f
		}
		p.mu.Lock()
		p.held = append(p.held, f)
		p.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rank == 0 || p.open == 0 || len(p.held) == 0 {
		return nil
	}
	f := p.held[0]
	p.held = p.held[1:]
	p.open--
	p.inFlight--
	return f
}

// idle is called when a rank has nothing to do.
func (p gatedPort) idle() {
	if p.rank != 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == 0 {
		p.first = p.inFlight
	}
	if p.inFlight > 0 && p.open == 0 {
		p.open = 1
		p.Transport.Port(1).Wake()
	}
}

func (p gatedPort) Pause()             { p.idle(); p.Port.Pause() }
func (p gatedPort) Wait(time.Duration) { p.idle(); p.Port.Wait(time.Millisecond) }

// A link with enough frames has exactly its credit in flight: never one more, and never one less, for sends of the main
// function or of a handler, and for large frames or values.
func TestALinkHasExactlyItsCreditInFlight(t *testing.T) {
	allCredits, factors := []int{1, 2, 5, 16}, []int{1, 64}
	allOptions := [][]target.Option{nil, {target.Coded[uint64](plainCodec{})}}
	for row := range covering.Product([]int{len(allCredits), len(factors), 2, len(allOptions)}) {
		credits, coalesce, byHandler, options := allCredits[row[0]], factors[row[1]], row[2] == 1, allOptions[row[3]]
		name := fmt.Sprintf("credits %d, coalesce %d, by handler %v, coded %v", credits, coalesce, byHandler,
			options != nil)
		t.Run(name, func(t *testing.T) {
			pebbles, got := 4*credits*coalesce, 0
			g := &gated{Transport: mem.New(2)}
			c := pebble.Config{Transport: g, Credits: credits, Coalesce: coalesce, BufferBudget: 1 << 30, Due: -1}
			job(t, c, func(r *pebble.Rank) error {
				var link *target.Target[uint64]
				flood := func() {
					for range pebbles {
						link.Send(1)
					}
				}
				link = numbers(r, "link", distribution.Block(2, 2), func(v uint64) {
					if v == 0 {
						flood()
						return
					}
					got++
				}, options...)
				return epochOf(0, r, func() {
					if byHandler {
						link.Send(0)
					} else {
						flood()
					}
				})
			})
			require.Equal(t, pebbles, got)
			require.Equal(t, credits, g.first, "in flight when the link had no credit for the first time")
			require.Equal(t, credits, g.most, "in flight at any time")
		})
	}
}

// With room for a single frame in flight, a single frame of credit on each link, and every pebble due at once, sends
// wait, flush and handle inside each other all the time; nothing may be lost, and no rank may hang.
func TestTightBuffers(t *testing.T) {
	const keys, sends = 64, 900
	everywhere(t, 3, 4, func(t *testing.T, c pebble.Config, variant int) {
		coded, depth := variant%2 == 1, []int{0, 2}[variant/2]
		got := make([]uint64, keys)
		job(t, c, func(r *pebble.Rank) error { return tight(r, got, sends, coded, depth) })
		require.EqualValues(t, c.Ranks*sends*2, sumOf(got))
	})
}

// amounts is a codec for amounts.
type amounts struct{}

func (amounts) Append(dst []byte, a amount) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, a.key), a.n), nil
}

func (amounts) Decode(src []byte) (a amount, err error) {
	return amount{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}, nil
}

// tight sends pebbles that each cause another one, of a target with a reduction.
func tight(r *pebble.Rank, got []uint64, sends int, coded bool, depth int) error {
	owner := distribution.Cyclic(uint64(len(got)), r.Size())
	options := []target.Option{target.Reduce(added)}
	if coded {
		options = append(options, target.Coded[amount](amounts{}))
	}
	second := target.New(r, "second", owner, byKey, target.Each(func(a amount) { got[a.key] += a.n }), options...)
	first := target.New(r, "first", owner, byKey, target.Each(func(a amount) {
		got[a.key] += a.n
		second.Send(amount{(a.key*5 + 3) % uint64(len(got)), a.n})
	}), options...)
	var declared []pebble.EpochOption
	if depth > 0 {
		declared = append(declared, pebble.Depth(depth))
	}
	return epoch(r, func() {
		batch := make([]amount, 300)
		for i := 0; i < sends; i += len(batch) {
			for j := range batch {
				batch[j] = amount{uint64(i*7+j*j+r.ID()) % uint64(len(got)), 1}
			}
			first.SendAll(batch)
		}
	}, declared...)
}
