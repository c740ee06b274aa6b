package fit

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// Costs are what pebbles of 8 bytes and frames cost the processor.
type Costs struct {
	Pebble model.Pebble
	Frame  float64 // of both ends together, with the overheads of the link in memory
}

var factors = []int{16, 64, 256, 1024}

const (
	ranks  = 4   // a mesh of 2 by 2: rank 1 is a hop away from rank 0, rank 3 two
	batch  = 256 // pebbles of a SendAll
	slots  = 1 << 14
	looked = 64 // batches that a cache looks at
)

// Pebbles measures what pebbles and frames cost: a job of four ranks on one thread, where the times of all ranks add up, sends from
// one rank to itself, to a neighbour with several factors, and over a hop. The time a pebble falls with the factor along a line:
// its rise is the cost of a frame. The median of the repeats counts. It changes GOMAXPROCS while it runs.
func Pebbles(ctx context.Context, repeats, pebbles int) (Costs, error) {
	if repeats < 1 || pebbles < batch {
		return Costs{}, fmt.Errorf("fit: %d repeats of %d pebbles: give one repeat at least, and %d pebbles", repeats, pebbles, batch)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all []Costs
	err := pebble.Run(ctx, pebble.Config{Ranks: ranks, Topology: route.Mesh(2, 2), Due: -1}, func(r *pebble.Rank) error {
		b := newCosting(r, pebbles)
		for range repeats {
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
	return medianCosts(all), nil
}

func medianCosts(all []Costs) (m Costs) {
	for _, of := range []func(*Costs) *float64{
		func(c *Costs) *float64 { return &c.Pebble.Send },
		func(c *Costs) *float64 { return &c.Pebble.Handle },
		func(c *Costs) *float64 { return &c.Pebble.Forward },
		func(c *Costs) *float64 { return &c.Pebble.Look },
		func(c *Costs) *float64 { return &c.Frame },
	} {
		var values []float64
		for i := range all {
			values = append(values, *of(&all[i]))
		}
		*of(&m), _ = spread(values)
	}
	return m
}

// costing is one rank of the job that tells the costs.
type costing struct {
	rank    *pebble.Rank
	pebbles int
	targets []*target.Target[uint64] // by factor
	values  []uint64
	sum     uint64
	handled time.Duration // inside of handlers
	count   int           // pebbles that were handled
	cache   *reduce.Cache[uint64]
	next    uint64
}

func newCosting(r *pebble.Rank, pebbles int) *costing {
	b := &costing{rank: r, pebbles: pebbles / batch * batch, values: make([]uint64, batch)}
	b.cache = reduce.NewFixedCache(reduce.Duplicates[uint64](), slots)
	owner := distribution.Cyclic(ranks, ranks)
	for _, factor := range factors {
		b.targets = append(b.targets, target.New(r, fmt.Sprint("cost-", factor), owner,
			target.Key(func(v uint64) uint64 { return v }), target.Batch(b.handle), target.Coalesce(factor)))
	}
	return b
}

// handle does next to nothing, and is timed.
func (b *costing) handle(vs []uint64) {
	start := b.rank.Now()
	for _, v := range vs {
		b.sum += v
	}
	b.handled += b.rank.Now() - start
	b.count += len(vs)
}

// once measures everything once. The result is rank 0's; what it waits for are the others.
func (b *costing) once() (c Costs, err error) {
	var line []point
	for i, factor := range factors {
		seconds, err := b.send(b.targets[i], 1)
		if err != nil {
			return c, err
		}
		line = append(line, point{1 / float64(factor), seconds})
	}
	last := b.targets[len(factors)-1]
	far, err := b.send(last, 3)
	if err != nil {
		return c, err
	}
	b.handled, b.count = 0, 0
	if _, err := b.send(last, 0); err != nil {
		return c, err
	}
	near := lineThrough(line)
	c.Frame = max(0, near.rise)
	if b.count > 0 {
		c.Pebble.Handle = b.handled.Seconds() / float64(b.count)
	}
	c.Pebble.Send = max(0, near.start-c.Pebble.Handle)
	c.Pebble.Forward = max(0, far-line[len(line)-1].y-c.Frame*line[len(line)-1].x)
	c.Pebble.Look = b.look()
	return c, nil
}

// send is the time of a pebble to a rank, in an epoch in which rank 0 alone sends.
func (b *costing) send(t *target.Target[uint64], to uint64) (seconds float64, err error) {
	if err := b.rank.Barrier(); err != nil {
		return 0, err
	}
	for i := range b.values {
		b.values[i] = to
	}
	start := b.rank.Now()
	err = b.rank.Epoch(func() error {
		for sent := 0; b.rank.ID() == 0 && sent < b.pebbles; sent += batch {
			t.SendAll(b.values)
		}
		return nil
	})
	return (b.rank.Now() - start).Seconds() / float64(b.pebbles), err
}

// look is the time of a look into a cache that has not seen the pebble.
func (b *costing) look() float64 {
	keys := make([]uint64, batch)
	start := b.rank.Now()
	for range looked {
		for i := range keys {
			b.next += 0x9E3779B97F4A7C15
			keys[i], b.values[i] = b.next, b.next
		}
		b.cache.Filter(b.values, keys)
	}
	return (b.rank.Now() - start).Seconds() / (looked * batch)
}
