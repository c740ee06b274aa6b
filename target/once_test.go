package target_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// passing runs a test with each reduction that lets pebbles pass and remembers them, plain and coded.
func passing(t *testing.T, test func(t *testing.T, options ...target.Option)) {
	for _, kind := range []reduce.Kind[amount]{
		reduce.Duplicates[amount](), reduce.First[amount](), reduce.Best(func(a, b amount) bool { return a.n > b.n }),
	} {
		options := []target.Option{target.Reduce(kind), target.Cache(1 << 12)}
		t.Run(kind.String(), func(t *testing.T) { test(t, options...) })
		t.Run(kind.String()+", coded", func(t *testing.T) {
			test(t, append(options,
				target.Coded[amount](amounts{}))...)
		})
	}
}

// byKey addresses amounts by their keys.
var byKey = target.Key(func(a amount) uint64 { return a.key })

// Pebbles that wait for a link when it is marked have passed their rank's cache already.
func TestRescuedPebblesAreNotDropped(t *testing.T) {
	passing(t, func(t *testing.T, options ...target.Option) {
		const ranks, each = 4, 3 * target.SendBufferMax
		got := make([]int, ranks*each)
		rescued := uint64(0)
		c := pebble.Config{Ranks: ranks, Topology: route.Dynamic(route.Hypercube), Due: -1}
		require.NoError(t, run(t, c, func(r *pebble.Rank) error {
			put := target.New(r, "put", distribution.Cyclic(ranks*each, ranks), byKey,
				target.Each(func(a amount) { got[a.key]++ }), options...)
			return r.Epoch(func() error {
				if r.ID() == 0 {
					for i := range uint64(each) {
						put.Send(amount{i*ranks + 1, i}) // all for rank 1
					}
					r.MarkLink(0, 1, true)
					rescued = r.Counters().Rescued
				}
				return nil
			})
		}))
		for i := range each {
			require.Equal(t, 1, got[i*ranks+1], "pebble %d", i)
		}
		require.Positive(t, rescued)
	})
}

// Pebbles go from rank 0 around a ring, 0-1-2, and find that rank 1 has marked its link to rank 2: they come back
// through rank 0.
func TestPebblesThatTurnBackAreNotDropped(t *testing.T) {
	passing(t, func(t *testing.T, options ...target.Option) {
		const ranks, each = 4, 50
		got := make([]int, ranks*each)
		left := make(chan struct{})
		var forwarded [ranks]uint64
		c := pebble.Config{Ranks: ranks, Topology: route.Dynamic(route.Ring), Due: -1}
		require.NoError(t, run(t, c, func(r *pebble.Rank) error {
			put := target.New(r, "put", distribution.Cyclic(ranks*each, ranks), byKey,
				target.Each(func(a amount) { got[a.key]++ }), options...)
			err := r.Epoch(func() error {
				switch r.ID() {
				case 0:
					for i := range uint64(each) {
						put.Send(amount{i*ranks + 2, i})
					}
					put.Flush()
					close(left)
				case 1:
					<-left
					r.MarkLink(1, 2, true)
				}
				return nil
			})
			forwarded[r.ID()] = r.Counters().Forwarded
			return err
		}))
		for i := range each {
			require.Equal(t, 1, got[i*ranks+2], "pebble %d", i)
		}
		require.GreaterOrEqual(t, forwarded[0], uint64(each), "they passed their source again")
	})
}

// late is the transport in memory that keeps rank 1's frames of one target until it has sent one of another.
type late struct {
	*mem.Transport
	kept, after uint16
}

type latePort struct {
	netio.Port
	late
	keeping *netio.Frame
}

func (l late) Port(rank int) netio.Port {
	if rank != 1 {
		return l.Transport.Port(rank)
	}
	return &latePort{l.Transport.Port(rank), l, nil}
}

func (p *latePort) Send(f *netio.Frame) {
	if f.Kind != netio.Data {
		p.Port.Send(f)
		return
	}
	if f.Target == p.kept {
		p.keeping = f
		return
	}
	then := f.Target == p.after
	p.Port.Send(f)
	if kept := p.keeping; kept != nil && then {
		p.keeping = nil
		p.Port.Send(kept)
	}
}

// A pebble looks for a key on its way from rank 1 to rank 0, and comes to both ranks twice: the key arrives when rank 1
// has sent the pebble on. Two pebbles that look for it from both ends must not be dropped for each other.
func TestPebblesThatCircleAreNotDropped(t *testing.T) {
	passing(t, func(t *testing.T, options ...target.Option) {
		for _, from := range [][]int{{0}, {1}, {0, 1}} {
			handled, moved := 0, make(chan struct{})
			wire := late{mem.New(2), 0, 2} // moves of the directory, and the target
			require.NoError(t, run(t, pebble.Config{Transport: wire, Due: -1}, func(r *pebble.Rank) error {
				where := target.NewDirectory(r, "where", distribution.Cyclic(2, 2),
					func(uint64) uint64 { return 0 }, func(uint64, uint64) {})
				put := target.New(r, "put", where, byKey, target.Each(func(amount) { handled++ }), options...)
				return r.Epoch(func() error {
					if r.ID() == 1 {
						where.Move(1, 0)
						close(moved)
					}
					if slices.Contains(from, r.ID()) {
						<-moved
						put.Send(amount{1, 0})
					}
					return nil
				})
			}))
			require.Equal(t, len(from), handled, "sent by ranks %v", from)
		}
	})
}

// Along routes that do not change a cache drops what comes from others: rank 3 sends to rank 0 by rank 2, which has
// sent the same.
func TestPassingPebblesAreDroppedAtHops(t *testing.T) {
	passing(t, func(t *testing.T, options ...target.Option) {
		const ranks = 4
		handled, first := 0, make(chan struct{})
		var atHops [ranks]uint64
		require.NoError(t, run(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube, Due: -1},
			func(r *pebble.Rank) error {
				put := target.New(r, "put", distribution.Cyclic(ranks, ranks), byKey,
					target.Each(func(amount) { handled++ }), options...)
				err := r.Epoch(func() error {
					switch r.ID() {
					case 2:
						put.Send(amount{0, 1})
						put.Flush()
						close(first)
					case 3:
						<-first
						put.Send(amount{0, 1})
					}
					return nil
				})
				atHops[r.ID()] = r.Counters().MergedAtHops
				return err
			}))
		require.Equal(t, 1, handled)
		require.Equal(t, [ranks]uint64{2: 1}, atHops)
	})
}
