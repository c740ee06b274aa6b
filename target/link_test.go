package target_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// gated is a transport of two ranks that lets rank 1 receive one data frame each time that rank 0 has nothing to do. It
// counts the frames that rank 0 has sent and rank 1 has not received: all of them are in flight.
type gated struct {
	netio.Transport

	mu       sync.Mutex
	inFlight int
	most     int
	first    int // in flight when rank 0 had nothing to do for the first time since it began to send; 0 before
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

// A link has exactly as many frames in flight as it has credit, as long as there are more: never one more, and never
// one less, whether the main function or a handler sends, and whether frames are large or travel by value.
func TestALinkHasExactlyItsCreditInFlight(t *testing.T) {
	for _, credits := range []int{1, 2, 5, 16} {
		for _, coalesce := range []int{1, 64} {
			for _, handlers := range []bool{false, true} {
				for _, coded := range []bool{false, true} {
					t.Run(fmt.Sprintf("credits %d, coalesce %d, handlers %v, coded %v", credits, coalesce, handlers,
						coded), func(t *testing.T) {
						pebbles := 4 * credits * coalesce
						g := &gated{Transport: mem.New(2)}
						c := pebble.Config{Transport: g, Credits: credits, Coalesce: coalesce, BufferBudget: 1 << 30,
							Due: -1}
						got := 0
						require.NoError(t, pebble.Run(context.Background(), c, func(r *pebble.Rank) error {
							var options []target.Option
							if coded {
								options = append(options, target.Coded[uint64](plainCodec{}))
							}
							var link *target.Target[uint64]
							flood := func() {
								for range pebbles {
									link.Send(1)
								}
							}
							link = target.New(r, "link", distribution.Block(2, 2),
								target.Key(func(v uint64) uint64 { return v }),
								target.Each(func(v uint64) {
									if v == 0 {
										flood()
										return
									}
									got++
								}), options...)
							return r.Epoch(func() error {
								switch {
								case r.ID() == 1:
								case handlers:
									link.Send(0)
								default:
									flood()
								}
								return nil
							})
						}))
						require.Equal(t, pebbles, got)
						require.Equal(t, credits, g.first, "in flight when the link had no credit for the first time")
						require.Equal(t, credits, g.most, "in flight at any time")
					})
				}
			}
		}
	}
}
