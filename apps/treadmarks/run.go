package treadmarks

import (
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

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

// Run runs a program on a job. Every rank calls it, between epochs, with the same configuration but for Progress.
// The result is complete on every rank. What is wrong with what was read, or came out, is counted in its Errors; an
// error means that the job failed, or can't work.
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
	if err := r.Epoch(func() error { return nil }); err != nil { // registrations are compared
		return result, err
	}
	if err := u.space.Barrier(); err != nil {
		return result, err
	}
	before := u.space.Counts()
	if err := result.Kernel(r, main.kernel); err != nil {
		return result, err
	}
	result.Counts, err = pebble.AllReduce(r, u.space.Counts().Since(before), pages.Counts.Add)
	if err != nil {
		return result, err
	}
	if about.main != "" {
		result.Microseconds = result.Cases[about.main]
	} else {
		result.Microseconds = result.Seconds * 1e6 / float64(c.Rounds)
	}
	if result.Verify, err = apps.Timed(r, main.judge); err != nil {
		return result, err
	}
	if result.Serial > 0 && result.Seconds > 0 {
		result.Speedup = result.Serial / result.Seconds
	}
	for _, a := range u.allocated {
		if err := a.Free(); err != nil {
			return result, err
		}
	}
	return result, result.FinishCounted(r)
}

// freed notes what is to be freed when the program has ended.
func freed[A interface{ Free() error }](u *run, a A, err error) (A, error) {
	if err == nil {
		u.allocated = append(u.allocated, a)
	}
	return a, err
}

// newSlice is pages.NewSlice of what is freed at the end.
func newSlice[T any](u *run, name string, d distribution.Indexed) (*pages.Slice[T], error) {
	v := pages.NewSlice[T](u.space, name, d)
	return freed(u, v, nil)
}

// newLock is pages.NewLock, at rank 0.
func newLock(u *run, name string) (*pages.Lock, error) {
	l := pages.NewLock(u.space, name, 0)
	return freed(u, l, nil)
}

// atRank0 is the distribution of n elements that all have their home at rank 0.
func (u *run) atRank0(n int) distribution.Indexed {
	return distribution.BlockCyclic(uint64(n), u.rank.Size(), uint64(n))
}

// rows is a matrix in blocks of rows, and which of them are a rank's own.
type rows struct {
	n, wide     int
	each        int // rows of a rank
	first, last int // this rank's, and the one behind
}

func (u *run) rows(n, wide int) rows { return newRows(n, wide, u.rank.Size(), u.rank.ID()) }

func newRows(n, wide, ranks, rank int) rows {
	each := (n + ranks - 1) / ranks
	return rows{n, wide, each, min(rank*each, n), min((rank+1)*each, n)}
}

// of is the same of another rank.
func (w rows) of(rank int) rows {
	return rows{w.n, w.wide, w.each, min(rank*w.each, w.n), min((rank+1)*w.each, w.n)}
}

func (w rows) distribution(ranks int) distribution.Indexed {
	return distribution.BlockCyclic(uint64(w.n*w.wide), ranks, uint64(w.each*w.wide))
}

func (w rows) empty() bool { return w.first == w.last }

// span are the elements of rows.
func (w rows) span(first, last int) (lo, hi uint64) {
	return uint64(first * w.wide), uint64(last * w.wide)
}

// own are the elements of the rank's own rows.
func (w rows) own() (lo, hi uint64) { return w.span(w.first, w.last) }

// pieces calls do with each part of a span that is at one home.
func (w rows) pieces(lo, hi uint64, do func(lo, hi uint64)) {
	for block := uint64(w.each * w.wide); lo < hi; {
		end := min(hi, (lo/block+1)*block)
		do(lo, end)
		lo = end
	}
}

// number is a number from 0 to 1 that the seed names. One fingerprint alone would have neighbours lie on lines.
func number(seed, i uint64) float64 { return float64(apps.Fold(apps.Fold(seed, i), 0)>>11) / (1 << 53) }

// tick tells rounds that were done.
func (u *run) tick(done int) {
	if u.config.Progress != nil && u.rank.ID() == 0 {
		u.config.Progress(uint64(done), uint64(u.config.Rounds))
	}
}

// work has so many units of work take their time in a simulated run.
func (u *run) work(units int, each time.Duration) {
	u.rank.Compute(time.Duration(u.config.Pace * float64(units) * float64(each) / 1000))
}

// twin has rank 0 run and time the serial twin, which does so many units of work. before makes its data.
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

// same compares the rows that this rank has with those that rank 0 wants, by fingerprints of so many elements each.
// Those that differ are counted.
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
	before := 0 // fingerprints of ranks before this one
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
