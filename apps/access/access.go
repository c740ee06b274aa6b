// Package access measures the cost of accesses of package memory, and verifies each of them. [Gather] is bale's
// indexgather and its relatives: every rank reads, or writes, random words of a table spread over all ranks, in
// batches, one after the other, or by plain loads for comparison. [Attend] reads a word of a rank that computes for
// long without a call of ours (XLUPC, section 4.6): by one-sided gets, which its process serves, or by questions, which
// the rank itself must answer.
package access

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// Way is the way of accessing words.
type Way string

// The ways. The index of each access of a chain depends on the word read before.
const (
	ByGather  Way = "gather"  // reads many at once
	ByScatter Way = "scatter" // writes many at once
	ByGet     Way = "get"     // reads one after the other
	ByPut     Way = "put"     // writes one after the other
	ByLoad    Way = "load"    // reads the rank's own words, by plain loads
	Chain     Way = "chain"   // reads one after the other, in a chain
	LoadChain Way = "load-chain"
)

// Ways are all ways.
var Ways = []Way{ByGather, ByScatter, ByGet, ByPut, ByLoad, Chain, LoadChain}

// GatherConfig configures a run of Gather, as described in package apps.
type GatherConfig struct {
	apps.Common      // Seed determines words and indices; Progress counts accesses that rank 0 has made
	Log2Words   int  // binary logarithm of the number of words of each rank, 1 to 32. 0 means 20
	Accesses    int  // of each rank, each with 24 bytes of memory, at most 2^32. 0 means 2^20
	Batch       int  // accesses made at once, at most 2^20. 0 means 1024
	Way         Way  // "" means ByGather
	Others      bool // leaves out the rank's own words, in jobs of several ranks
}

const (
	log2WordsMax = 32
	accessesMax  = 1 << 32
	batchMax     = 1 << 20
	ranksMax     = 1 << 24
)

func (c GatherConfig) withDefaults() GatherConfig {
	c.Log2Words = cmp.Or(c.Log2Words, 20)
	c.Accesses = cmp.Or(c.Accesses, 1<<20)
	c.Batch = cmp.Or(c.Batch, 1024)
	c.Way = cmp.Or(c.Way, ByGather)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c GatherConfig) Check(ranks int) error {
	c = c.withDefaults()
	switch {
	case ranks > ranksMax:
		return fmt.Errorf("access: %d ranks: a job has 1 to %d", ranks, ranksMax)
	case c.Log2Words < 1 || c.Log2Words > log2WordsMax:
		return fmt.Errorf("access: 2^%d words a rank: give a logarithm from 1 to %d", c.Log2Words, log2WordsMax)
	case c.Accesses < 1 || c.Accesses > accessesMax:
		return fmt.Errorf("access: %d accesses: give 1 to %d", c.Accesses, accessesMax)
	case c.Batch < 1 || c.Batch > batchMax:
		return fmt.Errorf("access: batches of %d: give 1 to %d", c.Batch, batchMax)
	case !slices.Contains(Ways, c.Way):
		return fmt.Errorf("access: the way %q: give one of %s", c.Way, apps.Names(Ways))
	}
	return nil
}

// word returns a word of the table.
func word(seed, i uint64) uint64 { return apps.Fold(seed, i) }

// draw draws the indices of a rank's accesses.
type draw struct {
	state     uint64
	mask      uint64 // of a rank's words
	bits      int
	rank      uint64
	ranks     uint64
	own, rest bool // only the rank's own words, or none of them
}

func (c GatherConfig) draw(rank, ranks int) draw {
	return draw{
		state: apps.Fold(c.Seed, uint64(rank)), mask: 1<<c.Log2Words - 1, bits: c.Log2Words, rank: uint64(rank),
		ranks: uint64(ranks),
		own:   c.Way == ByLoad || c.Way == LoadChain, rest: c.Others && ranks > 1,
	}
}

// next returns the next index. In a chain it depends on the word read before; otherwise read is 0.
func (d *draw) next(read uint64) uint64 {
	d.state = d.state*6364136223846793005 + 1442695040888963407 + read
	owner := d.rank
	switch {
	case d.own:
	case d.rest:
		if owner = (d.state >> 8 & 0xffffff) * (d.ranks - 1) >> 24; owner >= d.rank {
			owner++
		}
	default:
		owner = (d.state >> 8 & 0xffffff) * d.ranks >> 24
	}
	return owner<<d.bits | d.state>>32&d.mask
}

// Serial is a run of Gather without a job. It returns the words read by a rank, in order, or the last of its chain.
func Serial(rank, ranks int, c GatherConfig) []uint64 {
	c = c.withDefaults()
	d, read, all := c.draw(rank, ranks), uint64(0), []uint64(nil)
	for range c.Accesses {
		if !c.chained() {
			all = append(all, word(c.Seed, d.next(0)))
			continue
		}
		read = word(c.Seed, d.next(read))
	}
	if c.chained() {
		all = append(all, read)
	}
	return all
}

func (c GatherConfig) chained() bool { return c.Way == Chain || c.Way == LoadChain }

// writes reports whether words are written.
func (c GatherConfig) writes() bool { return c.Way == ByScatter || c.Way == ByPut }

// GatherResult is the report of a run of Gather.
type GatherResult struct {
	apps.Report
	memory.Counts
	Way               Way     `json:"way"`
	Words             uint64  `json:"words"`    // of the whole table
	Accesses          uint64  `json:"accesses"` // of all ranks
	AccessesPerSecond float64 `json:"accesses_per_second"`
	SecondsPerAccess  float64 `json:"seconds_per_access"` // of one rank
}

// Rows returns labels and values of the result for display.
func (r GatherResult) Rows() [][2]string {
	return [][2]string{
		{"accesses", fmt.Sprintf("%d by %s, of %d words; %d near, %d remote", r.Accesses, r.Way, r.Words, r.Near, r.Remote)},
		{"accesses a second", fmt.Sprintf("%.4g million", r.AccessesPerSecond/1e6)},
		{"a rank's access", fmt.Sprintf("%.4g ns", r.SecondsPerAccess*1e9)},
	}
}

// Gather accesses random words of a table, as described in package apps. The result's Errors include wrong words.
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
	var before memory.Counts
	var tally apps.Tally
	err = result.RunPhases(r, apps.Phases{
		Load: g.load,
		Kernel: func() error {
			before = g.space.Counts()
			return r.Epoch(func() error { g.body(); return nil })
		},
		Sum: func() (err error) {
			result.Counts, err = pebble.AllReduce(r, g.space.Counts().Since(before), memory.Counts.Add)
			if r.ID() == 0 { // the only pebbles are the questions and answers of misses
				tally.Sent, tally.Handled = result.Pebbles, result.Pebbles
			}
			return err
		},
		Rate: func() {
			seconds := max(result.Seconds, 1e-9) // a coarse clock may not have moved
			result.AccessesPerSecond = float64(result.Accesses) / seconds
			result.SecondsPerAccess = seconds / float64(c.Accesses)
		},
		Verify: func() error { return g.judge(&result) },
		Free:   func() error { return g.table.Free() },
		Tally:  &tally,
	})
	return result, err
}

// gather is one rank's part of a run.
type gather struct {
	rank    *pebble.Rank
	config  GatherConfig
	space   *memory.Space
	table   *memory.Array[uint64]
	indices []uint64 // nil in a chain
	words   []uint64 // words read, or to write; in a chain only the last one
}

// load makes this rank's part of the table, and draws its indices.
func (g *gather) load() (err error) {
	c, ranks := g.config, g.rank.Size()
	bytes := uint64(24*c.Accesses) + 8<<c.Log2Words
	if err := apps.MustFit(g.rank, "access: the table and what is accessed", bytes,
		"give fewer words or accesses"); err != nil {
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

// touch reads a word of each near page, so that page faults are not timed. Reading the first word of a part makes its
// address known.
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

// body is the timed part, in an epoch.
func (g *gather) body() {
	local, mask := g.table.Local(), uint64(1)<<g.config.Log2Words-1
	switch g.config.Way {
	case ByGather:
		g.batches(func(words, indices []uint64) { g.table.Gather(words, indices) })
	case ByScatter:
		g.batches(func(words, indices []uint64) { g.table.Scatter(indices, words) })
	case ByGet:
		g.batches(func(words, indices []uint64) {
			words = words[:len(indices)]
			for i, index := range indices {
				words[i] = g.table.Get(index)
			}
		})
	case ByPut:
		g.batches(func(words, indices []uint64) {
			words = words[:len(indices)]
			for i, index := range indices {
				g.table.Put(index, words[i])
			}
		})
	case ByLoad:
		g.batches(func(words, indices []uint64) {
			words = words[:len(indices)]
			for i, index := range indices {
				words[i] = local[index&mask]
			}
		})
	case Chain:
		g.chain(g.table.Get)
	case LoadChain:
		g.chain(func(i uint64) uint64 { return local[i&mask] })
	}
}

// batches makes all accesses, except those of a chain, some at a time.
func (g *gather) batches(access func(words, indices []uint64)) {
	n := len(g.indices)
	for lo := 0; lo < n; lo += g.config.Batch {
		hi := min(n, lo+g.config.Batch)
		access(g.words[lo:hi], g.indices[lo:hi])
		g.progress(hi)
	}
}

// chain makes the accesses of a chain.
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
	g.config.Progress.Passed(g.rank, 1, 0, uint64(done), uint64(g.config.Accesses))
}

// judge compares the words read with the serial twin. After writes, it reads them back, and checks the other words.
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
