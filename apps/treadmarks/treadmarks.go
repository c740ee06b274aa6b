// Package treadmarks contains the programs of the evaluation of TreadMarks over GM, on shared pages (package
// memory/pages). All verify their results.
//
//   - Barrier, Lock, Page, Diff: the costs of the operations of shared pages (Noronha and Panda, section 3.2).
//   - Jacobi, TSP: two of its programs, one with barriers and one with locks (section 3.3, table 1).
//
// Each program has a serial twin, which does the same work on one slice; the result has the times of both. Jacobi must
// agree with its twin to the last bit on any number of ranks, TSP in the lengths of the tours. Shared data lies in
// blocks of whole rows, so that no row has two homes.
package treadmarks

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

// Program is the name of one of the programs of this package.
type Program string

// The programs.
const (
	Barrier Program = "barrier"
	Lock    Program = "lock"
	Page    Program = "page"
	Diff    Program = "diff"
	Jacobi  Program = "jacobi"
	TSP     Program = "tsp"
)

// Way is the way a rank reads elements of other ranks.
type Way string

// The ways.
const (
	ByPages Way = "pages" // spans of shared pages
	ByArray Way = "array" // Jacobi: whole rows, by memory.Array.GetRange, in an epoch for each round
)

// Config configures a run, as described in package apps.
type Config struct {
	apps.Common                   // Seed determines the data; Progress counts completed rounds
	Size            int           // size of the problem: see [Program.About]. Barrier and Lock have none
	Rounds          int           // number of repetitions, at most 2^20. 0 means the program's default
	PageBytes       int           // 0 means pages.PageBytesDefault
	Copies, Checked bool          // force local copies of near pages too; guard spans by the processor
	Way             Way           // one of [About.Ways]. "" means ByPages
	Busy            time.Duration // length of rank 0's computations while rank 1 takes its lock, or its pages
	Pace            float64       // in simulated runs: factor of the time of a unit of work; 0 means 1
}

// About describes a program's size and its limits.
type About struct {
	Size        string // unit of the size; "" for a program without a size
	Standard    int    // default size
	Least, Most int
	Rounds      int // default number of rounds
	RanksLeast  int
	Ways        []Way // nil: only pages

	make func(*run) part
	main string // for programs that measure operations: the case reported first
}

var programs = map[Program]About{
	Barrier: {Rounds: 1000, RanksLeast: 1, make: newBarriers, main: "barrier"},
	Lock:    {Rounds: 1000, RanksLeast: 2, make: newLocks, main: "direct"},
	Page: {Size: "pages", Standard: 64, Least: 1, Most: 1 << 14, Rounds: 100, RanksLeast: 2,
		make: newFaults, main: "page"},
	Diff: {Size: "pages", Standard: 64, Least: 1, Most: 1 << 14, Rounds: 100, RanksLeast: 2,
		make: newDiffs, main: "small"},
	Jacobi: {Size: "rows of the grid, and columns", Standard: 1022, Least: 2, Most: 1 << 14, Rounds: 100, RanksLeast: 1,
		Ways: []Way{ByPages, ByArray}, make: newJacobi},
	TSP: {Size: "cities", Standard: 18, Least: 4, Most: citiesMax, Rounds: 10, RanksLeast: 1, make: newTSP},
}

const roundsMax = 1 << 20

// About returns the description of a program.
func (p Program) About() About { return programs[p] }

func (p Program) withDefaults(c Config) Config {
	a := programs[p]
	c.Size = cmp.Or(c.Size, a.Standard)
	c.Rounds = cmp.Or(c.Rounds, a.Rounds)
	c.PageBytes = cmp.Or(c.PageBytes, pages.PageBytesDefault)
	c.Way = cmp.Or(c.Way, ByPages)
	c.Pace = cmp.Or(c.Pace, 1)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (p Program) Check(c Config, ranks int) error {
	a, known := programs[p]
	c = p.withDefaults(c)
	switch {
	case !known:
		return fmt.Errorf("treadmarks: unknown program %q", p)
	case ranks < a.RanksLeast:
		return fmt.Errorf("treadmarks: %d ranks: ranks wait for each other, so give at least 2", ranks)
	case a.Size == "" && c.Size != 0:
		return fmt.Errorf("treadmarks: %s has no size", p)
	case c.Size < a.Least || c.Size > a.Most:
		return fmt.Errorf("treadmarks: a size of %d: give %d to %d %s", c.Size, a.Least, a.Most, a.Size)
	case c.Rounds < 1 || c.Rounds > roundsMax:
		return fmt.Errorf("treadmarks: %d rounds: give 1 to %d", c.Rounds, roundsMax)
	case c.PageBytes < 64 || c.PageBytes > 1<<20 || bits.OnesCount(uint(c.PageBytes)) != 1:
		return fmt.Errorf("treadmarks: pages of %d bytes: give a power of two from 64 to 1048576", c.PageBytes)
	case c.Busy < 0 || c.Busy > time.Second:
		return fmt.Errorf("treadmarks: %v of computing: give 0 to 1s", c.Busy)
	case c.Busy > 0 && p != Lock && p != Page:
		return fmt.Errorf("treadmarks: %s has nothing that a busy rank could delay", p)
	case c.Way != ByPages && a.Ways == nil:
		return fmt.Errorf("treadmarks: %s has no way but pages", p)
	case c.Way != ByPages && !slices.Contains(a.Ways, c.Way):
		return fmt.Errorf("treadmarks: the way %q: give one of %s", c.Way, apps.Names(a.Ways))
	}
	return nil
}

// Result is the report of a run. Counts covers the timed kernel, over all ranks.
type Result struct {
	apps.Report
	pages.Counts
	Size         int     `json:"size,omitempty"`
	Rounds       int     `json:"rounds"`
	PageBytes    int     `json:"page_bytes"`
	Copies       bool    `json:"copies"` // local copies were forced
	Checked      bool    `json:"checked"`
	Way          Way     `json:"by"`
	Microseconds float64 `json:"microseconds"` // of one operation, or of one round of a program
	// Cases are medians over the rounds, in microseconds, of the operation and of related measurements, by name.
	Cases map[string]float64 `json:"cases,omitempty"`
	// Serial is the time of the serial twin on rank 0. Speedup is its ratio to the time of the ranks.
	Serial  float64 `json:"serial_seconds,omitempty"`
	Speedup float64 `json:"speedup,omitempty"`
	Outcome string  `json:"outcome,omitempty"` // in words
	// Checksum is that of Jacobi's grid: the sum of apps.Fold of each point's bits and place, in hexadecimal digits.
	Checksum string `json:"checksum,omitempty"`

	order []string // of cases
}

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	var rows [][2]string
	for _, name := range r.order {
		rows = append(rows, [2]string{name, fmt.Sprintf("%.4g µs", r.Cases[name])})
	}
	if len(rows) == 0 {
		rows = append(rows, [2]string{"a round", fmt.Sprintf("%.4g µs, of %d", r.Microseconds, r.Rounds)})
	}
	if r.Outcome != "" {
		rows = append(rows, [2]string{"outcome", r.Outcome})
	}
	if r.Serial > 0 {
		rows = append(rows, [2]string{"serial twin", fmt.Sprintf("%.4g s: a speedup of %.2f", r.Serial, r.Speedup)})
	}
	return append(rows,
		[2]string{"pages", fmt.Sprintf("%d fetched in %d transfers, of %d bytes", r.PagesFetched, r.Fetches, r.PageBytes)},
		[2]string{"diffs", fmt.Sprintf("%d twins, %d bytes in %d transfers", r.Twins, r.DiffBytes, r.DiffRuns)},
		[2]string{"locks", fmt.Sprintf("%d taken, of which %d had to wait", r.Locks, r.LockWaits)},
	)
}

// median returns the median of some times, 0 for none.
func median(took []time.Duration) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// run is one rank's part of a run.
type run struct {
	rank      *pebble.Rank
	config    Config
	memory    *memory.Space
	space     *pages.Space
	result    *Result
	allocated []interface{ Free() error }
}

// part is one rank's part of a program.
type part interface {
	load() error   // makes the data
	kernel() error // is timed
	judge() error  // verifies, and adds to the result
}

// Run runs a program on a job, as described in package apps. The result's Errors include wrong words and results.
func Run(r *pebble.Rank, p Program, c Config) (result Result, err error) {
	if err := p.Check(c, r.Size()); err != nil {
		return result, err
	}
	c, about := p.withDefaults(c), programs[p]
	result = Result{
		Report: apps.NewReport(r, "pages-"+string(p), c.Seed), Size: c.Size, Rounds: c.Rounds, PageBytes: c.PageBytes,
		Copies: c.Copies, Checked: c.Checked, Way: c.Way,
	}
	result.Cache = 0
	u := &run{rank: r, config: c, memory: memory.New(r), result: &result}
	u.space = pages.New(u.memory, pages.Config{PageBytes: c.PageBytes, Copies: c.Copies, Checked: c.Checked})
	main := about.make(u)
	if result.SetUp, err = apps.Timed(r, main.load); err != nil {
		return result, err
	}
	r.ExplainNext()
	if err := r.Epoch(func() error { return nil }); err != nil { // compares registrations
		return result, err
	}
	if err := u.space.Barrier(); err != nil {
		return result, err
	}
	before := u.space.Counts()
	err = result.RunPhases(r, apps.Phases{
		Kernel: main.kernel,
		Sum: func() (err error) {
			result.Counts, err = pebble.AllReduce(r, u.space.Counts().Since(before), pages.Counts.Add)
			return err
		},
		Rate: func() {
			if result.Microseconds = result.Seconds * 1e6 / float64(c.Rounds); about.main != "" {
				result.Microseconds = result.Cases[about.main]
			}
		},
		Verify: main.judge,
		Free:   u.free,
	})
	if result.Serial > 0 {
		result.Speedup = apps.Rate(result.Serial, result.Seconds)
	}
	return result, err
}

func (u *run) free() error {
	for _, a := range u.allocated {
		if err := a.Free(); err != nil {
			return err
		}
	}
	return nil
}

// freed registers an object to free at the end of the program.
func freed[A interface{ Free() error }](u *run, a A) A {
	u.allocated = append(u.allocated, a)
	return a
}

// newSlice is pages.NewSlice of a slice that is freed at the end.
func newSlice[T any](u *run, name string, d distribution.Indexed) *pages.Slice[T] {
	return freed(u, pages.NewSlice[T](u.space, name, d))
}

// newLock is pages.NewLock, at rank 0.
func newLock(u *run, name string) *pages.Lock { return freed(u, pages.NewLock(u.space, name, 0)) }

// atRank0 returns the distribution of n elements with home at rank 0.
func (u *run) atRank0(n int) distribution.Indexed {
	return distribution.BlockCyclic(uint64(n), u.rank.Size(), uint64(n))
}

// rows is a matrix in blocks of rows, and the range of a rank's own rows.
type rows struct {
	n, wide     int
	each        int // rows per rank
	first, last int // this rank's first row, and the end of its rows
}

func (u *run) rows(n, wide int) rows { return newRows(n, wide, u.rank.Size(), u.rank.ID()) }

func newRows(n, wide, ranks, rank int) rows {
	return rows{n: n, wide: wide, each: (n + ranks - 1) / ranks}.of(rank)
}

// of returns the rows of another rank.
func (w rows) of(rank int) rows {
	return rows{w.n, w.wide, w.each, min(rank*w.each, w.n), min((rank+1)*w.each, w.n)}
}

func (w rows) distribution(ranks int) distribution.Indexed {
	return distribution.BlockCyclic(uint64(w.n*w.wide), ranks, uint64(w.each*w.wide))
}

func (w rows) empty() bool { return w.first == w.last }

// span returns the range of elements of some rows.
func (w rows) span(first, last int) (lo, hi uint64) {
	return uint64(first * w.wide), uint64(last * w.wide)
}

// own returns the range of elements of the rank's own rows.
func (w rows) own() (lo, hi uint64) { return w.span(w.first, w.last) }

// number returns a number from 0 to 1 that depends on the seed. A single fingerprint would put neighbours on lines.
func number(seed, i uint64) float64 { return float64(apps.Fold(apps.Fold(seed, i), 0)>>11) / (1 << 53) }

// tick reports a completed round.
func (u *run) tick(done int) {
	u.config.Progress.Passed(u.rank, 1, uint64(done-1), uint64(done), uint64(u.config.Rounds))
}

// work spends the simulated time of a number of units of work.
func (u *run) work(units int, each time.Duration) {
	u.rank.Compute(time.Duration(u.config.Pace * float64(units) * float64(each) / 1000))
}

// twin runs and times the serial twin, of a number of units of work, on rank 0. before makes its data.
func (u *run) twin(before, twin func(), units int, each time.Duration) (err error) {
	var took time.Duration
	if u.rank.ID() == 0 {
		before()
		start := u.rank.Now()
		twin()
		u.work(units, each)
		took = u.rank.Now() - start
	}
	u.result.Serial, err = pebble.Broadcast(u.rank, 0, took.Seconds())
	return err
}

// same compares this rank's rows with rank 0's expected ones, by fingerprints of each elements, and counts errors.
func same[T any](u *run, w rows, own, want []T, each int, bits func(T) uint64, what string) error {
	prints := func(all []uint64, vs []T) []uint64 {
		for len(vs) > 0 {
			var print uint64
			n := min(each, len(vs))
			for _, v := range vs[:n] {
				print = apps.Fold(print, bits(v))
			}
			all, vs = append(all, print), vs[n:]
		}
		return all
	}
	var wanted []uint64
	before := 0 // fingerprints of lower ranks
	for rank := range u.rank.Size() {
		lo, hi := w.of(rank).own()
		if u.rank.ID() == 0 {
			wanted = prints(wanted, want[lo:hi])
		}
		if rank < u.rank.ID() {
			before += (int(hi-lo) + each - 1) / each
		}
	}
	all, err := pebble.AllGatherSlice(u.rank, wanted)
	if err != nil {
		return err
	}
	var wrong uint64
	for i, got := range prints(nil, own) {
		if got != all[0][before+i] {
			wrong++
		}
	}
	return u.result.Found(u.rank, wrong, what)
}
