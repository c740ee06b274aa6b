package fit

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// Costs are the processor times of pebbles of 8 bytes and of frames.
type Costs struct {
	Pebble model.Pebble
	Frame  float64 // of both ends together, with the overheads of the link in memory
}

var factors = []int{16, 64, 256, 1024}

const (
	ranks     = 8       // direct, or a cube of three dimensions
	remote    = 7.0 / 8 // share of pebbles for other ranks, with random owners
	hops      = 3.0 / 2 // of a pebble on the cube, including those for the own rank
	chunk     = 1 << 12 // pebbles of a SendAll, per rank
	pebbleMin = ranks * chunk
	slots     = 1 << 14
	lookups   = 1 << 18 // into a cache
)

// Pebbles measures the costs of pebbles and frames. A job of eight ranks on one processor, where the times of all ranks
// add up, sends pebbles to random owners, directly with several factors and over a cube. The time of a pebble is linear
// in the inverse of the factor: the slope is the cost of a frame. The additional time of the cube is that of forwarded
// pebbles. The clock is processor time. The result is the median of the repeats. It changes GOMAXPROCS while it runs.
func Pebbles(ctx context.Context, repeats, pebbles int) (Costs, error) {
	if repeats < 1 || pebbles < pebbleMin {
		return Costs{}, fmt.Errorf("fit: %d repeats of %d pebbles: give at least one repeat, and %d pebbles", repeats,
			pebbles, pebbleMin)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all []Costs
	err := pebble.Run(ctx, pebble.Config{Ranks: ranks, Due: -1}, func(r *pebble.Rank) error {
		b := newCosting(r, pebbles)
		for range repeats + 1 {
			c, err := b.once()
			if err != nil {
				return err
			}
			if r.ID() == 0 {
				all = append(all, c)
			}
		}
		return nil
	})
	if err != nil {
		return Costs{}, fmt.Errorf("fit: %w", err)
	}
	median := func(values []float64) float64 { return lab.Summarize(values).Median }
	var costs []model.Pebble
	var frames []float64
	for _, c := range all[1:] { // in the first repeat memory is new
		costs, frames = append(costs, c.Pebble), append(frames, c.Frame)
	}
	return Costs{eachField(costs, median), median(frames)}, nil
}

// costing is one rank of the job that measures the costs.
type costing struct {
	rank    *pebble.Rank
	chunks  int                      // sent by each rank in an epoch
	direct  []*target.Target[uint64] // by factor
	cube    *target.Target[uint64]
	values  []uint64
	sum     uint64
	timing  bool          // handlers are timed
	handled time.Duration // time in handlers
	count   int           // pebbles of these handlers
	cache   *reduce.Cache[uint64]
}

func newCosting(r *pebble.Rank, pebbles int) *costing {
	b := &costing{rank: r, chunks: pebbles / pebbleMin, values: valuesOf(r.ID())}
	b.cache = reduce.NewFixedCache(reduce.Duplicates[uint64](), slots)
	for _, factor := range factors {
		b.direct = append(b.direct, b.target(fmt.Sprint("direct-", factor), factor, route.Direct))
	}
	b.cube = b.target("cube", factors[len(factors)-1], route.Mesh(2, 2, 2))
	return b
}

func (b *costing) target(name string, factor int, topology route.Constructor) *target.Target[uint64] {
	return target.New(b.rank, name, distribution.Cyclic(ranks, ranks),
		target.Key(func(v uint64) uint64 { return v % ranks }),
		target.Batch(b.handle), target.Coalesce(factor), target.Route(topology))
}

// valuesOf returns the pebbles of a rank: numbers with pseudorandom remainders.
func valuesOf(rank int) []uint64 {
	values := make([]uint64, chunk)
	for i := range values {
		values[i] = uint64(rank*chunk+i+1) * golden >> 32
	}
	return values
}

const golden = 0x9E3779B97F4A7C15

// handle does almost nothing.
func (b *costing) handle(vs []uint64) {
	var start time.Duration
	if b.timing {
		start = b.rank.Now()
	}
	for _, v := range vs {
		b.sum += v
	}
	if b.timing {
		b.handled += b.rank.Now() - start
		b.count += len(vs)
	}
}

// once measures everything once. The result is rank 0's, which times its handlers; the other ranks take part.
func (b *costing) once() (c Costs, err error) {
	var line []point
	sent := func(t *target.Target[uint64]) (seconds float64) {
		if err == nil {
			seconds, err = b.send(t)
		}
		return seconds
	}
	last := len(factors) - 1
	for i, factor := range factors {
		line = append(line, point{remote / float64(factor), sent(b.direct[i])})
	}
	cube := sent(b.cube)
	b.timing, b.handled, b.count = true, 0, 0
	sent(b.direct[last])
	if b.timing = false; err != nil {
		return c, err
	}
	direct := lineThrough(line)
	c.Frame = max(0, direct.slope)
	c.Pebble.Handle = b.handled.Seconds() / float64(b.count)
	c.Pebble.Send = max(0, direct.intercept-c.Pebble.Handle)
	more := (hops - remote) / float64(factors[last]) // additional frames per pebble on the cube
	c.Pebble.Forward = max(0, cube-line[last].y-c.Frame*more) / (hops - remote)
	c.Pebble.Look = b.look()
	return c, nil
}

// send returns the time of a pebble in an epoch in which all ranks send.
func (b *costing) send(t *target.Target[uint64]) (seconds float64, err error) {
	if err := b.rank.Barrier(); err != nil {
		return 0, err
	}
	start := Processor(b.rank.Now)
	err = b.rank.Epoch(func() error {
		for range b.chunks {
			t.SendAll(b.values)
		}
		return nil
	})
	if err == nil {
		err = b.rank.Barrier()
	}
	return (Processor(b.rank.Now) - start).Seconds() / float64(b.chunks*pebbleMin), err
}

// look returns the time of a cache lookup that misses. One rank measures at a time.
func (b *costing) look() float64 {
	vs, keys := make([]uint64, chunk), make([]uint64, chunk)
	took, n := time.Duration(0), uint64(0)
	for range lookups / chunk {
		for i := range keys {
			n++
			keys[i], vs[i] = n*golden, n*golden
		}
		start := Processor(b.rank.Now)
		b.cache.Filter(vs, keys)
		took += Processor(b.rank.Now) - start
	}
	return took.Seconds() / lookups
}

const switches = 1 << 14 // of a measurement

// Switch returns the time of a switch of a core between two goroutines, in seconds: two of them yield to each other on
// one processor. It changes GOMAXPROCS while it runs.
func Switch(repeats int) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var times []float64
	for range repeats {
		start := time.Now()
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				for range switches {
					runtime.Gosched()
				}
			})
		}
		both.Wait()
		times = append(times, time.Since(start).Seconds()/(2*switches))
	}
	return lab.Summarize(times).Median
}
