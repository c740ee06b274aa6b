package access

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// AttendResult is what a run of Attend tells.
type AttendResult struct {
	apps.Report
	By     string  `json:"by"` // get or ask
	Reads  int     `json:"reads"`
	Busy   float64 `json:"busy_seconds"` // that the owner computes at a time
	Median float64 `json:"median_seconds"`
	P99    float64 `json:"p99_seconds"`
	Most   float64 `json:"most_seconds"`
}

// Rows is the result for display: labels and values.
func (r AttendResult) Rows() [][2]string {
	µs := func(seconds float64) string { return fmt.Sprintf("%.4g µs", seconds*1e6) }
	return [][2]string{
		{"reads", fmt.Sprintf("%d by %s, of an owner that computes %s at a time", r.Reads, r.By, µs(r.Busy))},
		{"median", µs(r.Median)},
		{"99th percentile", µs(r.P99)},
		{"longest", µs(r.Most)},
	}
}

// Attend has rank 0 read words of the last rank, which computes for long without a call of ours, looks once for what
// has arrived, and computes again. Every rank calls it, between epochs, with the same configuration but for Progress.
// It registers a target. Times are complete on rank
// 0. Words that were read wrong are counted in its Errors; an error means that the job failed, or can't work.
func Attend(r *pebble.Rank, c AttendConfig) (result AttendResult, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	c = c.withDefaults()
	result = AttendResult{Report: apps.NewReport(r, "access-attend", c.Seed), By: "get", Reads: c.Reads, Busy: c.Busy.Seconds()}
	result.Cache = 0
	a := &attend{rank: r, config: c, owner: r.Size() - 1, read: newGets}
	if c.Asks {
		result.By, a.read = "ask", newAsks
	}
	if result.SetUp, err = apps.Timed(r, a.load); err != nil {
		return result, err
	}
	read := a.read(a)
	if err := result.Kernel(r, func() error { return r.Epoch(func() error { a.body(read); return nil }) }); err != nil {
		return result, err
	}
	if n := len(a.took); n > 0 {
		slices.Sort(a.took)
		result.Median, result.P99, result.Most = a.took[n/2].Seconds(), a.took[n*99/100].Seconds(), a.took[n-1].Seconds()
	}
	if err := result.Found(r, a.wrong, "words were read wrong"); err != nil {
		return result, err
	}
	if err := result.FinishCounted(r); err != nil {
		return result, err
	}
	return result, a.table.Free()
}

// attend is one rank's part of a run.
type attend struct {
	rank   *pebble.Rank
	config AttendConfig
	owner  int
	table  *memory.Array[uint64] // each rank has one part
	read   func(*attend) func(i uint64) uint64
	took   []time.Duration
	wrong  uint64
}

// words are those of a part. The first says that there is nothing more to read.
const words = 1024

func (a *attend) load() (err error) {
	d := distribution.Block(words*uint64(a.rank.Size()), a.rank.Size())
	a.table = memory.NewArray[uint64](memory.New(a.rank), "words", d)
	first := uint64(a.rank.ID()) * words
	for i := range a.table.Local()[1:] {
		a.table.Local()[i+1] = word(a.config.Seed, first+uint64(i)+1)
	}
	return nil
}

// newGets has the process of the owner serve the reads.
func newGets(a *attend) func(i uint64) uint64 { return a.table.Get }

// newAsks has the owner answer them.
func newAsks(a *attend) func(i uint64) uint64 {
	type question struct{ Index uint64 }
	var answer uint64
	open := false
	ask := target.NewAskBatch(a.rank, "read", a.table.Distribution(),
		target.Key(func(q question) uint64 { return q.Index }),
		func(qs []question, as []uint64) {
			for i, q := range qs {
				as[i] = a.table.Get(q.Index)
			}
		},
		func(_ []question, as []uint64) { answer, open = as[0], false })
	return func(i uint64) uint64 {
		open = true
		ask.Send(question{Index: i})
		for ask.Flush(); open; {
			a.rank.Poll()
		}
		return answer
	}
}

func (a *attend) body(read func(i uint64) uint64) {
	switch a.rank.ID() {
	case a.owner:
		done := &a.table.Local()[0]
		for atomic.LoadUint64(done) == 0 {
			a.compute()
			a.rank.Poll()
		}
	case 0:
		first := uint64(a.owner) * words
		read(first + 1) // connections are made, and buffers
		for n := range a.config.Reads {
			i := first + 1 + uint64(n)%(words-1)
			began := a.rank.Now()
			got := read(i)
			a.took = append(a.took, a.rank.Now()-began)
			if got != word(a.config.Seed, i) {
				a.wrong++
			}
			if a.config.Progress != nil {
				a.config.Progress(uint64(n+1), uint64(a.config.Reads))
			}
		}
		a.table.Put(first, 1)
	}
}

// compute takes the owner's time, without a call.
func (a *attend) compute() {
	until := a.rank.Now() + a.config.Busy
	a.rank.Compute(a.config.Busy)
	for a.rank.Now() < until {
	}
}
