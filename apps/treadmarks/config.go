package treadmarks

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/memory/pages"
)

// Program is one of those of this package, by its name.
type Program string

// The programs.
const (
	Barrier    Program = "barrier"
	Lock       Program = "lock"
	Page       Program = "page"
	Diff       Program = "diff"
	Jacobi     Program = "jacobi"
	SOR        Program = "sor"
	TSP        Program = "tsp"
	FFT        Program = "fft"
	SpMV       Program = "spmv"
	BucketSort Program = "bucketsort"
)

// Way is how a rank comes by elements of others.
type Way string

// The ways.
const (
	ByPages   Way = "pages"   // spans of the pages that it needs
	ByArray   Way = "array"   // Jacobi: whole rows, by memory.Array.GetRange, in an epoch for each round
	ByGather  Way = "gather"  // SpMV: the elements that it needs, by memory.Array.Gather
	ByPebbles Way = "pebbles" // SpMV: the owners of the elements send them
	ByLocks   Way = "locks"   // SOR: pages, and ranks wait for each other by a count under a lock, with no barriers
)

// Config is what a run can be told. The zero value is a run with all defaults. All ranks must be given the same,
// but for Progress.
type Config struct {
	// Size is how much there is to do: what that means, and 0, says [Program.About]. Barrier and Lock have no size.
	Size int
	// Rounds is how often it is done, at most 2^20. 0 is the program's default.
	Rounds int
	// PageBytes is the size of pages; 0 is pages.PageBytesDefault.
	PageBytes int
	// Copies forces local copies of all pages, also of those that are near; Checked has the processor look after spans.
	Copies, Checked bool
	// Way is one of [About.Ways]. "" is ByPages.
	Way Way
	// Busy is how long rank 0 computes at a time while rank 1 takes its lock, or its pages: Lock and Page have it.
	Busy time.Duration
	// Pace is for simulated runs: how many times as long as here a unit of work takes; 0 is 1.
	Pace float64
	// Seed names the data.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with the rounds that were done, and that will be.
	Progress func(done, total uint64)
}

// About is what a program's size is, and how large it may be.
type About struct {
	Size        string // what there are so many of; "" where a program has no size
	Standard    int    // what 0 is
	Least, Most int
	Rounds      int // what 0 is
	RanksLeast  int
	Ways        []Way // nil: pages alone

	fits func(size int) bool // nil: all do
	make func(*run) part
	main string // the case that is told first, of those that measure operations
}

func even(size int) bool       { return size%2 == 0 }
func powerOfTwo(size int) bool { return size&(size-1) == 0 }

var programs = map[Program]About{
	Barrier: {Rounds: 1000, RanksLeast: 1, make: newBarriers, main: "barrier"},
	Lock:    {Rounds: 1000, RanksLeast: 2, make: newLocks, main: "direct"},
	Page: {Size: "pages", Standard: 64, Least: 1, Most: 1 << 14, Rounds: 100, RanksLeast: 2,
		make: newFaults, main: "page"},
	Diff: {Size: "pages", Standard: 64, Least: 1, Most: 1 << 14, Rounds: 100, RanksLeast: 2,
		make: newDiffs, main: "small"},
	Jacobi: {Size: "rows of the grid, and columns", Standard: 1022, Least: 2, Most: 1 << 14, Rounds: 100, RanksLeast: 1,
		Ways: []Way{ByPages, ByArray}, make: newJacobi},
	SOR: {Size: "columns of the grid, an even number", Standard: 1000, Least: 4, Most: 1 << 14, Rounds: 10, RanksLeast: 1,
		fits: even, Ways: []Way{ByPages, ByLocks}, make: newSOR},
	TSP: {Size: "cities", Standard: 18, Least: 4, Most: citiesMax, Rounds: 10, RanksLeast: 1, make: newTSP},
	FFT: {Size: "points of a side of the cube, a power of two", Standard: 32, Least: 8, Most: 64, Rounds: 10,
		RanksLeast: 1, fits: powerOfTwo, make: newFFT},
	SpMV: {Size: "rows of the matrix", Standard: 1 << 16, Least: 16, Most: 1 << 22, Rounds: 20, RanksLeast: 1,
		Ways: []Way{ByPages, ByGather, ByPebbles}, make: newSpMV},
	BucketSort: {Size: "keys", Standard: 1 << 22, Least: 16, Most: 1 << 26, Rounds: 5, RanksLeast: 1, make: newBucketSort},
}

const roundsMax = 1 << 20

// About tells what a program's size is.
func (p Program) About() About { return programs[p] }

func (p Program) withDefaults(c Config) Config {
	a := programs[p]
	fill(&c.Size, a.Standard)
	fill(&c.Rounds, a.Rounds)
	fill(&c.PageBytes, pages.PageBytesDefault)
	fill(&c.Way, ByPages)
	fill(&c.Pace, 1)
	return c
}

// fill sets what was not given.
func fill[T comparable](v *T, standard T) {
	var zero T
	if *v == zero {
		*v = standard
	}
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (p Program) Check(c Config, ranks int) error {
	a, known := programs[p]
	c = p.withDefaults(c)
	switch {
	case !known:
		return fmt.Errorf("treadmarks: there is no program %q", p)
	case ranks < a.RanksLeast:
		return fmt.Errorf("treadmarks: %d ranks: one waits for what another one does, so give 2 at least", ranks)
	case a.Size == "" && c.Size != 0:
		return fmt.Errorf("treadmarks: %s has no size", p)
	case c.Size < a.Least || c.Size > a.Most || a.fits != nil && !a.fits(c.Size):
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
		return fmt.Errorf("treadmarks: the way %q: give one of %s", c.Way, strings.Join(a.WayNames(), ", "))
	}
	return nil
}

// WayNames are the names of a program's ways.
func (a About) WayNames() (names []string) {
	for _, w := range a.Ways {
		names = append(names, string(w))
	}
	return names
}
