package target_test

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// overheard is the transport in memory, which counts the data frames between two ranks.
type overheard struct {
	*mem.Transport
	a, b   uint32
	frames atomic.Int64
}

type overheardPort struct {
	netio.Port
	all *overheard
}

func (o *overheard) Port(rank int) netio.Port { return overheardPort{o.Transport.Port(rank), o} }

func (p overheardPort) Send(f *netio.Frame) {
	if f.Kind == netio.Data && (f.From == p.all.a && f.To == p.all.b || f.From == p.all.b && f.To == p.all.a) {
		p.all.frames.Add(1)
	}
	p.Port.Send(f)
}

// A link is marked down in the middle of an epoch: pebbles in its buffers take other ways, every pebble is handled
// once, and in the next epoch nothing uses the link, until it is marked up again.
func TestLinkMarkedDownInMidEpoch(t *testing.T) {
	const ranks, each = 8, 5000
	for _, base := range []route.Constructor{route.Direct, route.Hypercube, route.MeshOf(2), route.Ring} {
		for _, coded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, coded %v", base(ranks).Name(), coded), func(t *testing.T) {
				wire := &overheard{Transport: mem.New(ranks), a: 0, b: 1}
				got, rescued := make([]int, ranks*each), make([]uint64, ranks)
				var inEpoch [3]int64
				c := pebble.Config{Transport: wire, Topology: route.Dynamic(base), Due: -1}
				require.NoError(t, run(t, c, func(r *pebble.Rank) error {
					var options []target.Option
					if coded {
						options = append(options, target.Coded[uint64](plainCodec{}))
					}
					number := target.New(r, "number", distribution.Cyclic(ranks*each, ranks),
						target.Key(func(v uint64) uint64 { return v }), target.Each(func(v uint64) { got[v]++ }), options...)
					for epoch := range 3 {
						before := wire.frames.Load()
						err := r.Epoch(func() error {
							marked := r.ID() != 0 || epoch != 0
							for i := range uint64(each) {
								to, frames := (uint64(r.ID())+i)%ranks, r.Counters().FramesSent
								number.Send(i*ranks + to)
								if !marked && i > each/2 && to == 1 && r.Counters().FramesSent == frames { // it waits in the buffer
									marked = true
									r.MarkLink(1, 0, true)
								}
							}
							return nil
						})
						if err != nil {
							return err
						}
						rescued[r.ID()] = r.Counters().Rescued
						if err := r.Barrier(); err != nil {
							return err
						}
						if r.ID() == 0 {
							inEpoch[epoch] = wire.frames.Load() - before
							if epoch == 1 {
								r.MarkLink(0, 1, false)
							}
						}
						if err := r.Barrier(); err != nil {
							return err
						}
					}
					return nil
				}))
				for v := range got {
					require.Equal(t, 3, got[v], "pebble %d", v)
				}
				require.Positive(t, rescued[0], "rank 0 had pebbles for rank 1 in its buffer")
				require.Zero(t, inEpoch[1])
				require.Positive(t, inEpoch[2])
			})
		}
	}
}

// Nothing is routed through a marked rank, which still gets its own pebbles; what can't be reached is said in words.
func TestRankMarkedDown(t *testing.T) {
	handled := make([]int, 9)
	c := pebble.Config{Ranks: 9, Topology: route.Dynamic(route.MeshOf(2))}
	forwarded := make([]uint64, 9)
	require.NoError(t, run(t, c, func(r *pebble.Rank) error {
		if r.ID() == 0 {
			r.MarkRank(4, true)
		}
		if err := r.Barrier(); err != nil {
			return err
		}
		all := target.New(r, "all", distribution.Cyclic(9, 9), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) { handled[r.ID()]++ }))
		err := r.Epoch(func() error {
			for to := range uint64(9) {
				all.Send(to)
			}
			return nil
		})
		forwarded[r.ID()] = r.Counters().Forwarded
		return err
	}))
	require.Zero(t, forwarded[4])
	for _, n := range handled {
		require.Equal(t, 9, n)
	}

	err := run(t, pebble.Config{Ranks: 5, Topology: route.Dynamic(route.Ring)}, func(r *pebble.Rank) error {
		all := target.New(r, "all", distribution.Cyclic(5, 5), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) {}))
		return r.Epoch(func() error {
			if r.ID() == 0 {
				r.MarkLink(0, 1, true)
				r.MarkLink(2, 3, true)
			}
			for {
				all.Send(1)
				r.Poll()
			}
		})
	})
	require.ErrorContains(t, err, `target "all"`)
	require.ErrorContains(t, err, "rank")
}

// plainCodec is a codec for numbers.
type plainCodec struct{}

func (plainCodec) Append(dst []byte, v uint64) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(dst, v), nil
}

func (plainCodec) Decode(src []byte) (uint64, error) { return binary.LittleEndian.Uint64(src), nil }

// A mark that was set between epochs holds from the start of the next.
func TestLinkMarkedBetweenEpochs(t *testing.T) {
	const ranks = 4
	wire := &overheard{Transport: mem.New(ranks), a: 0, b: 1}
	handled := make([]int, ranks)
	c := pebble.Config{Transport: wire, Topology: route.Dynamic(route.Hypercube), Coalesce: 64}
	require.NoError(t, run(t, c, func(r *pebble.Rank) error {
		number := target.New(r, "number", distribution.Cyclic(ranks, ranks),
			target.Key(func(v uint64) uint64 { return v }),
			target.Batch(func(vs []uint64) { handled[r.ID()] += len(vs) }))
		if err := r.Epoch(func() error { return nil }); err != nil {
			return err
		}
		if r.ID() == 0 {
			r.MarkLink(0, 1, true)
		}
		if err := r.Barrier(); err != nil {
			return err
		}
		return r.Epoch(func() error {
			vs := make([]uint64, 200)
			for i := range vs {
				vs[i] = uint64(i) % ranks
			}
			number.SendAll(vs)
			return nil
		})
	}))
	require.Equal(t, []int{200, 200, 200, 200}, handled)
	require.Zero(t, wire.frames.Load())
}
