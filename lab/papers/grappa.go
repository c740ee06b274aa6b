package main

import (
	"context"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/ping"
	"github.com/activepebbles/pebbles/apps/uts"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

const perNode = 4 // ranks of a node of odin

// nodes16 returns the number of ranks of the 16 nodes of Grappa's sensitivity measurements (section 8.3).
func (l *simulator) nodes16() int { return l.some(16*perNode, 2*perNode) }

// visitors are the ways to search a tree in memory.
var visitors = []struct {
	name   string
	config uts.Config
}{
	{"tasks of a vertex", uts.Config{Batch: 1}},
	{"tasks of up to 64", uts.Config{Batch: 64}},
	{"pebbles", uts.Config{Mode: uts.ByPebbles}},
}

// visit searches a tree in memory: T1 of the benchmark, down to an affordable depth. It returns the rate, in million
// vertices per second.
func (l *simulator) visit(ranks, coalesce int, c uts.Config) (rate float64, o outcome) {
	c.Tree = must(uts.TreeByName("T1"))
	c.Tree = must(c.Tree.Cut(l.some(9, 5)))
	c.InMemory = true
	name := fmt.Sprintf("UTS-Mem, depth %d, %s of %d, %d workers, linger %v", c.Tree.Depth, c.Mode, c.Batch, c.Workers,
		c.Linger)
	nodes := uint64(0)
	o = l.run(world{network: sim.Machines["odin"], ranks: ranks, topology: "direct", coalesce: coalesce},
		program{name, func(r *pebble.Rank) (apps.Report, error) {
			result, err := uts.Run(r, c)
			if r.ID() == 0 {
				nodes = result.Nodes
			}
			return result.Report, err
		}})
	if nodes == 0 { // cached: the program did not run
		nodes = must(uts.Serial(c.Tree)).Nodes
	}
	return float64(nodes) / o.Seconds / 1e6, o
}

// treesInMemory is figure 7.
func treesInMemory(l *simulator, d *drawing) {
	d.axis, d.unit, d.rates = "nodes", "million vertices a second", true
	t := lab.NewTable("nodes", "ranks", "tasks of a vertex: M vertices/s", "tasks of up to 64", "pebbles",
		"tasks of a vertex, for each node")
	for _, v := range visitors {
		d.curve(v.name)
	}
	for _, ranks := range l.upTo(perNode, 32*perNode) {
		cells := []any{ranks / perNode, ranks}
		for i, v := range visitors {
			rate, _ := l.visit(ranks, 0, v.config)
			d.curves[i].add(float64(ranks/perNode), rate)
			cells = append(cells, rate)
		}
		t.Row(append(cells, cells[2].(float64)/float64(ranks/perNode))...)
	}
	d.say("T1 down to depth %d, %d ranks a node of Odin, buffers of 1,024.", l.some(9, 5), perNode)
	d.table(t)
}

// unaggregated is figure 11.
func unaggregated(l *simulator, d *drawing) {
	t := lab.NewTable("search", "a pebble a frame: M vertices/s", "buffers of 1,024", "gain",
		"frames of a rank, a pebble each", "frames of a rank, buffers of 1,024")
	for _, v := range visitors {
		alone, o1 := l.visit(l.nodes16(), 1, v.config)
		shared, o2 := l.visit(l.nodes16(), 0, v.config)
		t.Row(v.name, alone, shared, shared/alone, o1.perRank(o1.Counters.FramesSent),
			o2.perRank(o2.Counters.FramesSent))
	}
	d.say("%d nodes of %d ranks.", l.nodes16()/perNode, perNode)
	d.table(t)
}

// delays is figure 12.
func delays(l *simulator, d *drawing) {
	d.axis, d.unit, d.rates = "microseconds of delay", "million vertices a second", true
	workers := []int{64, 256, task.WorkersDefault}
	names := []string{"delay: µs"}
	for _, n := range workers {
		names = append(names, fmt.Sprintf("%s workers a rank: M vertices/s", lab.Grouped(n)))
		d.curve(fmt.Sprintf("%s workers", lab.Grouped(n)))
	}
	t := lab.NewTable(names...)
	for _, delay := range []int{0, 1, 2, 4, 8, 16, 32, 64, 128} {
		cells := []any{delay}
		for i, n := range workers {
			rate, _ := l.visit(l.nodes16(), 0, uts.Config{Batch: 1, Workers: n,
				Linger: time.Duration(delay) * time.Microsecond})
			cells = append(cells, rate)
			if delay > 0 { // the axis is logarithmic
				d.curves[i].add(float64(delay), rate)
			}
		}
		t.Row(cells...)
	}
	d.say("%d nodes of %d ranks, a vertex a task. The delay is how long a rank that has nothing to do holds its "+
		"buffers back (`task.Linger`).",
		l.nodes16()/perNode, perNode)
	d.table(t)
}

// workersSwept is figure 13.
func workersSwept(l *simulator, d *drawing) {
	d.axis, d.unit, d.rates = "workers a rank", "million vertices a second", true
	lingers := []time.Duration{0, 8 * time.Microsecond}
	t := lab.NewTable("workers a rank", "no delay: M vertices/s", "8 µs of delay", "frames of a rank, no delay",
		"8 µs of delay")
	d.curve("no delay")
	d.curve("8 µs of delay")
	for workers := l.some(16, 64); workers <= l.some(8192, 256); workers *= 2 {
		cells, frames := []any{lab.Grouped(workers)}, []any{}
		for i, linger := range lingers {
			rate, o := l.visit(l.nodes16(), 0, uts.Config{Batch: 1, Workers: workers, Linger: linger})
			d.curves[i].add(float64(workers), rate)
			cells, frames = append(cells, rate), append(frames, o.perRank(o.Counters.FramesSent))
		}
		t.Row(append(cells, frames...)...)
	}
	d.say("%d nodes of %d ranks, a vertex a task.", l.nodes16()/perNode, perNode)
	d.table(t)
}

// pings is figure 10.
func pings(l *simulator, d *drawing) {
	d.axis, d.unit, d.rates = "bytes of a message", "billion bytes a second of a node", true
	network := sim.Machines["odin"]
	most := 1e-9 / network.Between.PerByte // of the link
	ways := []struct {
		name   string
		factor func(bytes int) int
	}{
		{"a message a frame", func(int) int { return 1 }},
		{"frames of 4 KiB", func(bytes int) int { return max(1, 4<<10/bytes) }},
		{"frames of 1,024 messages", func(int) int { return 1024 }},
	}
	t := lab.NewTable("bytes of a message", "a message a frame: GB/s of a node", "frames of 4 KiB",
		"frames of 1,024 messages", "gain by 4 KiB",
		"share of the link: a message a frame", "frames of 4 KiB")
	for _, w := range ways {
		d.curve(w.name)
	}
	for bytes := 8; bytes <= 4096; bytes *= 2 {
		cells, rates := []any{lab.Grouped(bytes)}, []float64{}
		for i, w := range ways {
			p := program{fmt.Sprintf("ping of %d bytes", bytes), func(r *pebble.Rank) (apps.Report, error) {
				result, err := ping.Run(r, ping.Config{Bytes: bytes, Messages: uint64(l.some(1<<13, 1<<8)),
					Common: apps.Common{Seed: 1}})
				return result.Report, err
			}}
			o := l.run(world{network: network, ranks: 2 * perNode, topology: "direct", coalesce: w.factor(bytes)},
				p)
			rate := 1e-9 * float64(bytes) * float64(o.Counters.PebblesHandled) / o.Seconds
			d.curves[i].add(float64(bytes), rate)
			cells, rates = append(cells, rate), append(rates, rate)
		}
		t.Row(append(cells, rates[1]/rates[0], rates[0]/most, rates[1]/most)...)
	}
	d.say("%d ranks of one node send %s messages each to as many of another. The link carries %s GB/s.", perNode,
		lab.Grouped(l.some(1<<13, 1<<8)), lab.Digits(most))
	d.table(t)
}

// switches is the time of a switch against the number of tasks (section 4). It is the only figure here that is
// measured, not simulated.
func switches(l *simulator, d *drawing) {
	d.axis, d.unit = "tasks", "nanoseconds"
	c := d.curve("a switch to another task")
	t := lab.NewTable("tasks", "a switch: ns")
	for tasks := 10; tasks <= l.some(100_000, 100); tasks *= 10 {
		best := time.Duration(0)
		for range l.some(5, 1) {
			took := yields(l.ctx, tasks, l.some(1<<20, 1<<10)/tasks)
			if best == 0 || took < best {
				best = took
			}
		}
		ns := float64(best.Nanoseconds()) / float64(l.some(1<<20, 1<<10)/tasks*tasks)
		c.add(float64(tasks), ns)
		t.Row(lab.Grouped(tasks), ns)
	}
	d.say("Measured on %s: one rank, whose tasks only yield. The least of %d times.", machine.This(), l.some(5, 1))
	d.table(t)
}

// yields returns the time of a number of yields of all tasks, once all have begun.
func yields(ctx context.Context, tasks, times int) (took time.Duration) {
	err := pebble.Run(ctx, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		s := task.New(r, task.Workers(tasks+1))
		run := func(times int) error {
			return s.Run(func() {
				for range tasks {
					s.Go(func() {
						for range times {
							s.Yield()
						}
					})
				}
			})
		}
		if err := run(1); err != nil { // makes the workers
			return err
		}
		began := r.Now()
		err := run(times)
		took = r.Now() - began
		return err
	})
	return must(took, err)
}
