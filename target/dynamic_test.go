package target_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/covering"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// overheard is the transport in memory, with a count of the data frames between two ranks.
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

// A link is marked down in the middle of an epoch: pebbles in its buffers take other routes, every pebble is handled
// once, and in the next epoch no pebble uses the link, until it is marked up again.
func TestLinkMarkedDownInMidEpoch(t *testing.T) {
	const ranks, each = 8, 5000
	bases := []route.Constructor{route.Direct, route.Hypercube, route.MeshOf(2), route.Ring}
	for row := range covering.Product([]int{len(bases), 2}) {
		base, coded := bases[row[0]], row[1] == 1
		t.Run(fmt.Sprintf("%s, coded %v", base(ranks).Name(), coded), func(t *testing.T) {
			var options []target.Option
			if coded {
				options = append(options, target.Coded[uint64](plainCodec{}))
			}
			wire := &overheard{Transport: mem.New(ranks), a: 0, b: 1}
			got, inEpoch := make([]int, ranks*each), [3]int64{}
			c := pebble.Config{Transport: wire, Topology: route.Dynamic(base), Due: -1}
			counters := job(t, c, func(r *pebble.Rank) error {
				number := numbers(r, "number", distribution.Cyclic(ranks*each, ranks), func(v uint64) { got[v]++ },
					options...)
				for turn := range inEpoch {
					before := wire.frames.Load()
					appstest.Epoch(r, func() {
						marked := r.ID() != 0 || turn != 0
						for i := range uint64(each) {
							to, frames := (uint64(r.ID())+i)%ranks, r.Counters().FramesSent
							number.Send(i*ranks + to)
							waits := to == 1 && r.Counters().FramesSent == frames // in the buffer
							if !marked && i > each/2 && waits {
								marked = true
								r.MarkLink(1, 0, true)
							}
						}
					})
					appstest.OK(r.Barrier())
					if r.ID() == 0 {
						inEpoch[turn] = wire.frames.Load() - before
						if turn == 1 {
							r.MarkLink(0, 1, false)
						}
					}
					appstest.OK(r.Barrier())
				}
				return nil
			})
			for v := range got {
				require.Equal(t, 3, got[v], "pebble %d", v)
			}
			require.Positive(t, counters[0].Rescued, "rank 0 had pebbles for rank 1 in its buffer")
			require.Zero(t, inEpoch[1])
			require.Positive(t, inEpoch[2])
		})
	}
}

// No pebble is routed through a marked rank, which still gets its own.
func TestRankMarkedDown(t *testing.T) {
	const ranks = 9
	c := pebble.Config{Ranks: ranks, Topology: route.Dynamic(route.MeshOf(2))}
	counters := job(t, c, func(r *pebble.Rank) error {
		if r.ID() == 0 {
			r.MarkRank(4, true)
		}
		appstest.OK(r.Barrier())
		all := numbers(r, "all", distribution.Cyclic(ranks, ranks), ignore)
		return epoch(r, func() {
			for to := range uint64(ranks) {
				all.Send(to)
			}
		})
	})
	require.Zero(t, counters[4].Forwarded)
	for _, c := range counters {
		require.EqualValues(t, ranks, c.PebblesHandled)
	}
}

// A rank that can't be reached is reported.
func TestRankCutOff(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 5, Topology: route.Dynamic(route.Ring)}, func(r *pebble.Rank) error {
		all := numbers(r, "all", distribution.Cyclic(5, 5), ignore)
		return epoch(r, func() {
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
	c := pebble.Config{Transport: wire, Topology: route.Dynamic(route.Hypercube), Coalesce: 64}
	counters := job(t, c, func(r *pebble.Rank) error {
		number := numbers(r, "number", distribution.Cyclic(ranks, ranks), ignore)
		appstest.Epoch(r, func() {})
		if r.ID() == 0 {
			r.MarkLink(0, 1, true)
		}
		appstest.OK(r.Barrier())
		return epoch(r, func() {
			vs := make([]uint64, 200)
			for i := range vs {
				vs[i] = uint64(i) % ranks
			}
			number.SendAll(vs)
		})
	})
	for _, c := range counters {
		require.EqualValues(t, 200, c.PebblesHandled)
	}
	require.Zero(t, wire.frames.Load())
}

// passing runs a test with each reduction that passes pebbles on and remembers them, plain and coded.
func passing(t *testing.T, test func(t *testing.T, options ...target.Option)) {
	for _, kind := range []reduce.Kind[amount]{
		reduce.Duplicates[amount](), reduce.First[amount](), reduce.Best(func(a, b amount) bool { return a.n > b.n }),
	} {
		options := []target.Option{target.Reduce(kind), target.Cache(1 << 12)}
		t.Run(kind.String(), func(t *testing.T) { test(t, options...) })
		options = append(options, target.Coded[amount](amounts{}))
		t.Run(kind.String()+", coded", func(t *testing.T) { test(t, options...) })
	}
}

// byKey addresses amounts by their keys.
var byKey = target.Key(func(a amount) uint64 { return a.key })

// Pebbles that wait for a link when it is marked have already passed their rank's cache.
func TestRescuedPebblesAreNotDropped(t *testing.T) {
	passing(t, func(t *testing.T, options ...target.Option) {
		const ranks, each = 4, 3 * target.SendBufferMax
		var got [ranks * each]int
		c := pebble.Config{Ranks: ranks, Topology: route.Dynamic(route.Hypercube), Due: -1}
		counters := job(t, c, func(r *pebble.Rank) error {
			put := target.New(r, "put", distribution.Cyclic(ranks*each, ranks), byKey,
				target.Each(func(a amount) { got[a.key]++ }), options...)
			return epochOf(0, r, func() {
				for i := range uint64(each) {
					put.Send(amount{i*ranks + 1, i}) // all for rank 1
				}
				r.MarkLink(0, 1, true)
			})
		})
		for i := range each {
			require.Equal(t, 1, got[i*ranks+1], "pebble %d", i)
		}
		require.Positive(t, counters[0].Rescued)
	})
}

// Pebbles go from rank 0 around a ring and come back through it: rank 1 has marked its link to rank 2.
func TestPebblesThatTurnBackAreNotDropped(t *testing.T) {
	passing(t, func(t *testing.T, options ...target.Option) {
		const ranks, each = 4, 50
		var got [ranks * each]int
		left := make(chan struct{})
		c := pebble.Config{Ranks: ranks, Topology: route.Dynamic(route.Ring), Due: -1}
		counters := job(t, c, func(r *pebble.Rank) error {
			put := target.New(r, "put", distribution.Cyclic(ranks*each, ranks), byKey,
				target.Each(func(a amount) { got[a.key]++ }), options...)
			return epoch(r, func() {
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
			})
		})
		for i := range each {
			require.Equal(t, 1, got[i*ranks+2], "pebble %d", i)
		}
		require.GreaterOrEqual(t, counters[0].Forwarded, uint64(each), "they passed their source again")
	})
}

// late is the transport in memory, but keeps rank 1's frames of one target until it has sent one of another.
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

// A pebble seeks a key on its way from rank 1 to rank 0, and visits both ranks twice: the key arrives after rank 1 has
// sent the pebble on. Two pebbles that seek it from both ends must not be dropped for each other.
func TestPebblesThatCircleAreNotDropped(t *testing.T) {
	passing(t, func(t *testing.T, options ...target.Option) {
		for _, from := range [][]int{{0}, {1}, {0, 1}} {
			handled, moved := 0, make(chan struct{})
			wire := late{mem.New(2), 0, 2} // moves of the directory, and the target
			job(t, pebble.Config{Transport: wire, Due: -1}, func(r *pebble.Rank) error {
				where := empty(r, "where", distribution.Cyclic(2, 2))
				put := target.New(r, "put", where, byKey, target.Each(func(amount) { handled++ }), options...)
				return epoch(r, func() {
					if r.ID() == 1 {
						where.Move(1, 0)
						close(moved)
					}
					if slices.Contains(from, r.ID()) {
						<-moved
						put.Send(amount{1, 0})
					}
				})
			})
			require.Equal(t, len(from), handled, "sent by ranks %v", from)
		}
	})
}

// Along fixed routes, a cache drops pebbles of others: rank 3 sends to rank 0 through rank 2, which has sent the same.
func TestPassingPebblesAreDroppedAtHops(t *testing.T) {
	passing(t, func(t *testing.T, options ...target.Option) {
		const ranks = 4
		handled, first := 0, make(chan struct{})
		c := pebble.Config{Ranks: ranks, Topology: route.Hypercube, Due: -1}
		counters := job(t, c, func(r *pebble.Rank) error {
			put := target.New(r, "put", distribution.Cyclic(ranks, ranks), byKey,
				target.Each(func(amount) { handled++ }), options...)
			return epoch(r, func() {
				switch r.ID() {
				case 2:
					put.Send(amount{0, 1})
					put.Flush()
					close(first)
				case 3:
					<-first
					put.Send(amount{0, 1})
				}
			})
		})
		require.Equal(t, 1, handled)
		for rank, c := range counters {
			require.Equal(t, rank == 2, c.MergedAtHops == 1, "rank %d", rank)
			require.LessOrEqual(t, c.MergedAtHops, uint64(1))
		}
	})
}
