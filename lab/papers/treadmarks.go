package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/treadmarks"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// The cluster of TreadMarks over GM (section 3.1): one rank per node, messages of 9.04 µs, and 225 million bytes per
// second. The paper does not state the processor time of a message: a microsecond at each end is an estimate. So is the
// pace: the ratio of the times of a unit of work on its processors, of 700 MHz, and on that of package treadmarks.
const (
	gmMessage  = 9.04e-6
	gmPerByte  = 1 / 225e6
	gmOverhead = 1e-6
	gmPace     = 12
)

// gm returns that cluster. more is additional processor time of a message at each end.
func gm(more float64) sim.Network {
	link := sim.Link{Latency: gmMessage - 2*gmOverhead, Overhead: gmOverhead + more, PerByte: gmPerByte}
	return sim.Network{
		Name: "gm", RanksPerProcess: 1, ProcessesPerHost: 1, Process: link, Host: link, Between: link,
		Costs: sim.Machines["odin"].Costs,
	}
}

// pages runs a program on shared pages, with additional processor time of a message at each end.
func (l *simulator) pages(ranks int, more float64, p treadmarks.Program, c treadmarks.Config) treadmarks.Result {
	c.Seed, c.Pace = 1, gmPace
	key := fmt.Sprintf("%s of %d, %d rounds, by %q, %d ranks, %g s more", p, c.Size, c.Rounds, c.Way, ranks, more)
	if r, known := l.paged[key]; known {
		return r
	}
	var r treadmarks.Result
	where := world{network: gm(more), ranks: ranks, topology: "direct"}
	l.run(where, program{key, func(rank *pebble.Rank) (apps.Report, error) {
		result, err := treadmarks.Run(rank, p, c)
		if rank.ID() == 0 {
			r = result
		}
		return result.Report, err
	}})
	l.paged[key] = r
	return r
}

// both runs a program with the messages of GM, and with those of UDP.
func (l *simulator) both(ranks int, p treadmarks.Program, c treadmarks.Config) (fast, slow treadmarks.Result) {
	more := l.udp()
	return l.pages(ranks, 0, p, c), l.pages(ranks, more, p, c)
}

// udp returns the processor time of UDP at each end of a message. It makes a lock last held by its manager 3.36 times
// as slow, as in the paper (section 3.2). Nothing else is fitted.
func (l *simulator) udp() (more float64) {
	const ratio = 3.36
	lock := func(more float64) (us float64) {
		return l.pages(3, more, treadmarks.Lock, treadmarks.Config{Rounds: l.some(20, 2)}).Cases["direct"]
	}
	fast := lock(0)
	lo, hi := 0.0, 1e-3
	for range 30 {
		more = (lo + hi) / 2
		slow := lock(more)
		if slow < ratio*fast {
			lo = more
		} else {
			hi = more
		}
	}
	return more
}

// operations is figure 3.
func operations(l *simulator, d *drawing) {
	udp := l.udp()
	ranks := l.some(16, 4)
	t := lab.NewTable("operation", "ranks", "GM: µs", "UDP: µs", "times as long", "in the paper")
	for _, o := range []struct {
		name, of string
		program  treadmarks.Program
		ranks    int
		paper    float64
	}{
		{"barrier", "barrier", treadmarks.Barrier, ranks, 1.5},
		{"lock, direct", "direct", treadmarks.Lock, 3, 3.36},
		{"lock, indirect", "indirect", treadmarks.Lock, 3, 3.85},
		{"page", "page", treadmarks.Page, 2, 6.0},
		{"diff, small", "small", treadmarks.Diff, 3, 3.8},
		{"diff, large", "large", treadmarks.Diff, 3, 3.8},
	} {
		c := treadmarks.Config{Rounds: l.some(20, 2)}
		fast, slow := l.both(o.ranks, o.program, c)
		t.Row(o.name, o.ranks, fast.Cases[o.of], slow.Cases[o.of], slow.Cases[o.of]/fast.Cases[o.of], o.paper)
	}
	d.say("UDP costs %s µs more at each end of a message, by which a direct lock takes 3.36 times as long.",
		lab.Digits(1e6*udp))
	d.table(t)
}

// onPages are two of the paper's four programs with its defaults (section 3.3.1), and its results on 16 nodes (3.3.2).
var onPages = []struct {
	name    string
	program treadmarks.Program
	config  treadmarks.Config
	sizes   []int // of table 1
	paper   float64
}{
	{"Jacobi", treadmarks.Jacobi, treadmarks.Config{Size: 1022, Rounds: 20}, []int{500, 1000, 1500, 2000}, 2},
	{"TSP", treadmarks.TSP, treadmarks.Config{Size: 18, Rounds: 5}, []int{16, 17, 18}, 2.8},
}

// pagesByNodes is figure 4.
func pagesByNodes(l *simulator, d *drawing) {
	d.axis, d.unit = "nodes", "seconds"
	t := lab.NewTable("program", "nodes", "GM: s", "speedup", "UDP: s", "speedup", "times as long", "in the paper",
		"pages that came to a rank", "pages of a transfer")
	for _, p := range onPages {
		byGM, byUDP := d.curve(p.name+", GM"), d.curve(p.name+", UDP")
		for _, ranks := range l.upTo(4, 16) {
			fast, slow := l.both(ranks, p.program, l.cut(p.config))
			byGM.add(float64(ranks), fast.Seconds)
			byUDP.add(float64(ranks), slow.Seconds)
			paper := any("")
			if ranks == 16 {
				paper = p.paper
			}
			t.Row(p.name, ranks, fast.Seconds, fast.Speedup, slow.Seconds, slow.Speedup,
				slow.Seconds/fast.Seconds, paper, float64(fast.PagesFetched)/float64(ranks),
				float64(fast.PagesFetched)/float64(max(1, fast.Fetches)))
		}
	}
	d.table(t)
}

// cut reduces the rounds in a quick run.
func (l *simulator) cut(c treadmarks.Config) treadmarks.Config {
	c.Rounds = l.some(c.Rounds, 1)
	if l.small && c.Size == 18 {
		c.Size = 10
	}
	return c
}

// pagesBySize is figure 5.
func pagesBySize(l *simulator, d *drawing) {
	ranks := l.some(16, 4)
	t := lab.NewTable("program", "size", "one node: s", "GM: s", "UDP: s", "times as long")
	for _, p := range onPages {
		for _, size := range p.sizes[:min(len(p.sizes), l.some(4, 1))] {
			c := l.cut(p.config)
			c.Size = l.some(size, c.Size)
			fast, slow := l.both(ranks, p.program, c)
			t.Row(p.name, size, fast.Serial, fast.Seconds, slow.Seconds, slow.Seconds/fast.Seconds)
		}
	}
	d.say("%d nodes.", ranks)
	d.table(t)
}
