package access

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// GatherResult is what a run of Gather tells.
type GatherResult struct {
	apps.Report
	memory.Counts
	Way               Way     `json:"way"`
	Words             uint64  `json:"words"`    // of the whole table
	Accesses          uint64  `json:"accesses"` // of all ranks
	AccessesPerSecond float64 `json:"accesses_per_second"`
	SecondsPerAccess  float64 `json:"seconds_per_access"` // of one rank
}

// Rows is the result for display: labels and values.
func (r GatherResult) Rows() [][2]string {
	return [][2]string{
		{"accesses", fmt.Sprintf("%d by %s, of %d words; %d near, %d remote", r.Accesses, r.Way, r.Words, r.Near, r.Remote)},
		{"accesses a second", fmt.Sprintf("%.4g million", r.AccessesPerSecond/1e6)},
		{"a rank's access", fmt.Sprintf("%.4g ns", r.SecondsPerAccess*1e9)},
	}
}

// Gather accesses random words of a table. Every rank calls it, between epochs, with the same configuration but for
// Progress. The result is complete on every rank. What was not read as it is, or not written as it should be, is
// counted in its Errors; an error means that the job failed, or can't work.
func Gather(r *pebble.Rank, c GatherConfig) (result GatherResult, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	g := &gather{rank: r, config: c.withDefaults(), space: memory.New(r)}
	c = g.config
	result = GatherResult{
		Report: apps.NewReport(r, "access-gather", c.Seed), Way: c.Way,
		Words: uint64(r.Size()) << c.Log2Words, Accesses: uint64(r.Size()) * uint64(c.Accesses),
	}
	result.Cache = 0
	if result.SetUp, err = apps.Timed(r, g.load); err != nil {
		return result, err
	}
	before := g.space.Counts()
	if err := result.Kernel(r, g.kernel()); err != nil {
		return result, err
	}
	if result.Counts, err = pebble.AllReduce(r, g.space.Counts().Since(before), memory.Counts.Add); err != nil {
		return result, err
	}
	seconds := max(result.Seconds, 1e-9) // a coarse clock may not have moved
	result.AccessesPerSecond = float64(result.Accesses) / seconds
	result.SecondsPerAccess = seconds / float64(c.Accesses)
	if result.Verify, err = apps.Timed(r, func() error { return g.judge(&result) }); err != nil {
		return result, err
	}
	var t apps.Tally
	if r.ID() == 0 { // no pebbles but the questions and answers of misses
		t.Sent, t.Handled = result.Pebbles, result.Pebbles
	}
	if err := result.Finish(r, t); err != nil {
		return result, err
	}
	return result, g.table.Free()
}

// gather is one rank's part of a run.
type gather struct {
	rank    *pebble.Rank
	config  GatherConfig
	space   *memory.Space
	table   *memory.Array[uint64]
	indices []uint64 // where there is no chain
	words   []uint64 // that were read, or are to be written; of a chain the last one
}

// load makes this rank's part of the table, and draws its indices.
func (g *gather) load() (err error) {
	c, ranks := g.config, g.rank.Size()
	bytes := uint64(24*c.Accesses) + 8<<c.Log2Words
	if err := apps.MustFit(g.rank, "access: the table and what is accessed", bytes, "give fewer words or accesses"); err != nil {
		return err
	}
	g.table = memory.NewArray[uint64](g.space, "table", distribution.Block(uint64(ranks)<<c.Log2Words, ranks))
	if !c.writes() {
		first := uint64(g.rank.ID()) << c.Log2Words
		for i := range g.table.Local() {
			g.table.Local()[i] = word(c.Seed, first+uint64(i))
		}
	}
	g.words = make([]uint64, 1)
	if c.chained() {
		return g.touch()
	}
	g.indices, g.words = make([]uint64, c.Accesses), make([]uint64, c.Accesses)
	d := c.draw(g.rank.ID(), ranks)
	for i := range g.indices {
		g.indices[i] = d.next(0)
		if c.writes() {
			g.words[i] = word(c.Seed, g.indices[i])
		}
	}
	return g.touch()
}

// touch reads a word of each page that is near, so that page faults are not timed. By the first word of a part its
// address becomes known.
func (g *gather) touch() error {
	const page = 512 // words
	if err := g.rank.Barrier(); err != nil {
		return err
	}
	part := uint64(1) << g.config.Log2Words
	return g.rank.Epoch(func() error {
		for first := uint64(0); first < g.table.Len(); first += part {
			g.table.Get(first)
			remote := g.space.Counts().Remote
			for i := uint64(0); i < part && g.space.Counts().Remote == remote; i += page {
				g.table.Get(first + i)
			}
		}
		return nil
	})
}

// kernel is what is timed: one epoch.
func (g *gather) kernel() func() error {
	body := map[Way]func(){
		ByGather: func() { g.batches(func(lo, hi int) { g.table.Gather(g.words[lo:hi], g.indices[lo:hi]) }) },
		ByScatter: func() {
			g.batches(func(lo, hi int) { g.table.Scatter(g.indices[lo:hi], g.words[lo:hi]) })
		},
		ByGet: func() {
			g.batches(func(lo, hi int) {
				words := g.words[lo:hi]
				for i, index := range g.indices[lo:hi] {
					words[i] = g.table.Get(index)
				}
			})
		},
		ByPut: func() {
			g.batches(func(lo, hi int) {
				words := g.words[lo:hi]
				for i, index := range g.indices[lo:hi] {
					g.table.Put(index, words[i])
				}
			})
		},
		ByLoad: func() {
			local, mask := g.table.Local(), uint64(1)<<g.config.Log2Words-1
			g.batches(func(lo, hi int) {
				words := g.words[lo:hi]
				for i, index := range g.indices[lo:hi] {
					words[i] = local[index&mask]
				}
			})
		},
		Chain: func() { g.chain(g.table.Get) },
		LoadChain: func() {
			local, mask := g.table.Local(), uint64(1)<<g.config.Log2Words-1
			g.chain(func(i uint64) uint64 { return local[i&mask] })
		},
	}[g.config.Way]
	return func() error { return g.rank.Epoch(func() error { body(); return nil }) }
}

// batches makes all accesses but those of a chain, some at a time.
func (g *gather) batches(access func(lo, hi int)) {
	n := len(g.indices)
	for lo := 0; lo < n; lo += g.config.Batch {
		hi := min(n, lo+g.config.Batch)
		access(lo, hi)
		g.progress(hi)
	}
}

// chain makes those of a chain.
func (g *gather) chain(read func(i uint64) uint64) {
	d, got := g.config.draw(g.rank.ID(), g.rank.Size()), uint64(0)
	for done := 0; done < g.config.Accesses; {
		for range min(g.config.Batch, g.config.Accesses-done) {
			got = read(d.next(got))
			done++
		}
		g.progress(done)
	}
	g.words[0] = got
}

func (g *gather) progress(done int) {
	if g.config.Progress != nil && g.rank.ID() == 0 {
		g.config.Progress(uint64(done), uint64(g.config.Accesses))
	}
}

// judge compares what was read with the serial twin. Of what was written, it reads back all, and looks for words
// elsewhere.
func (g *gather) judge(result *GatherResult) error {
	c, stray := g.config, uint64(0)
	if c.writes() {
		clear(g.words)
		if err := g.rank.Epoch(func() error { g.table.Gather(g.words, g.indices); return nil }); err != nil {
			return err
		}
		first := uint64(g.rank.ID()) << c.Log2Words
		for i, w := range g.table.Local() {
			if w != 0 && w != word(c.Seed, first+uint64(i)) {
				stray++
			}
		}
	}
	if err := result.Found(g.rank, stray, "words of the table are not what was written"); err != nil {
		return err
	}
	wrong := uint64(0)
	for i, w := range Serial(g.rank.ID(), g.rank.Size(), c) {
		if g.words[i] != w {
			wrong++
		}
	}
	return result.Found(g.rank, wrong, "words were read wrong, or not written")
}
