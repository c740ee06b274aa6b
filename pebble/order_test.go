package pebble_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// forged is a transport of two ranks on which the first control frame that rank 0 sends within an epoch is followed by
// an order to take another coalescing factor, as a process that is damaged would send it.
type forged struct {
	netio.Transport
	order []byte
}

func (f *forged) Port(rank int) netio.Port {
	if rank != 0 {
		return f.Transport.Port(rank)
	}
	return &forger{f.Transport.Port(rank), f.order}
}

type forger struct {
	netio.Port
	order []byte
}

func (p *forger) Send(f *netio.Frame) {
	data := f.Kind == netio.Data
	p.Port.Send(f)
	if !data || p.order == nil {
		return
	}
	g := p.Pool().Get(len(p.order))
	g.Kind, g.To, g.Check, g.Bytes = netio.Control, 1, uint32(engine.Refactoring), uint32(copy(g.Space(), p.order))
	p.order = nil
	p.Port.Send(g)
}

// What rank 0 orders within an epoch is checked before it is followed: a factor of 0 would be a buffer without room.
func TestOrdersAreChecked(t *testing.T) {
	const largest = 1<<63 - 1
	for words, order := range map[string][]uint64{
		"its order has a coalescing factor of 0":                   {1, 0, 0},
		"its order has a coalescing factor of -1":                  {1, 1<<64 - 1, 0},
		"its order has a coalescing factor of 9223372036854775807": {1, largest, 0},
		"its order has a cache of -1 entries":                      {1, 8, 1<<64 - 1},
		"its order is for epoch, or epochs, -1":                    {1<<64 - 1, 8, 0},
		"it is no order of rank 0":                                 {1},
	} {
		var b []byte
		for _, n := range order {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		c := pebble.Config{Transport: &forged{mem.New(2), b}, Due: time.Nanosecond,
			Tuning: &pebble.Tuning{Coalesce: true}}
		err := pebble.Run(context.Background(), c, func(r *pebble.Rank) error {
			all := target.New(r, "all", distribution.Block(2, 2), target.Key(func(v uint64) uint64 { return v }),
				target.Each(func(uint64) {}))
			return r.Epoch(func() error { all.Send(1); return nil })
		})
		require.ErrorContains(t, err, words)
	}
}
