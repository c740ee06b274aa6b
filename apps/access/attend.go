package access

import (
	"cmp"
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

// AttendConfig configures a run of Attend, as described in package apps.
type AttendConfig struct {
	apps.Common               // Seed determines the words; Progress counts reads
	Reads       int           // at most 2^20. 0 means 1000
	Busy        time.Duration // length of one computation of the owner, at most a minute. 0 means 20 ms
	Asks        bool          // reads are pebbles to the owner, which answers by pebbles. Otherwise reads are gets
}

const (
	readsMax = 1 << 20
	busyMax  = time.Minute
)

func (c AttendConfig) withDefaults() AttendConfig {
	c.Reads = cmp.Or(c.Reads, 1000)
	c.Busy = cmp.Or(c.Busy, 20*time.Millisecond)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c AttendConfig) Check(ranks int) error {
	c = c.withDefaults()
	switch {
	case ranks < 2:
		return fmt.Errorf("access: %d ranks: one reads while another computes, so give at least 2", ranks)
	case c.Reads < 1 || c.Reads > readsMax:
		return fmt.Errorf("access: %d reads: give 1 to %d", c.Reads, readsMax)
	case c.Busy < 0 || c.Busy > busyMax:
		return fmt.Errorf("access: an owner that computes for %v: give at most %v", c.Busy, busyMax)
	}
	return nil
}

// AttendResult is the report of a run of Attend.
type AttendResult struct {
	apps.Report
	By     string  `json:"by"` // get or ask
	Reads  int     `json:"reads"`
	Busy   float64 `json:"busy_seconds"` // length of one computation of the owner
	Median float64 `json:"median_seconds"`
	P99    float64 `json:"p99_seconds"`
	Most   float64 `json:"most_seconds"`
}

// Rows returns labels and values of the result for display.
func (r AttendResult) Rows() [][2]string {
	µs := func(seconds float64) string { return fmt.Sprintf("%.4g µs", seconds*1e6) }
	return [][2]string{
		{"reads", fmt.Sprintf("%d by %s, of an owner that computes %s at a time", r.Reads, r.By, µs(r.Busy))},
		{"median", µs(r.Median)},
		{"99th percentile", µs(r.P99)},
		{"longest", µs(r.Most)},
	}
}

// Attend measures reads by rank 0 of words of the last rank, as described in package apps. The last rank computes for
// long without a call of ours, polls once for arrivals, and computes again. Attend registers a target. Times are
// complete on rank 0. The result's Errors include wrong words.
func Attend(r *pebble.Rank, c AttendConfig) (result AttendResult, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	c = c.withDefaults()
	result = AttendResult{
		Report: apps.NewReport(r, "access-attend", c.Seed), By: "get", Reads: c.Reads, Busy: c.Busy.Seconds(),
	}
	result.Cache = 0
	a := &attend{rank: r, config: c, owner: r.Size() - 1}
	if c.Asks {
		result.By = "ask"
	}
	err = result.RunPhases(r, apps.Phases{
		Load:   a.load,
		Kernel: func() error { return r.Epoch(func() error { a.body(); return nil }) },
		Rate: func() {
			if n := len(a.took); n > 0 {
				slices.Sort(a.took)
				result.Median, result.P99, result.Most = a.took[n/2].Seconds(), a.took[n*99/100].Seconds(), a.took[n-1].Seconds()
			}
		},
		Wrong: func() (uint64, string) { return a.wrong, "words were read wrong" },
		Free:  func() error { return a.table.Free() },
	})
	return result, err
}

// attend is one rank's part of a run.
type attend struct {
	rank   *pebble.Rank
	config AttendConfig
	owner  int
	table  *memory.Array[uint64] // each rank has one part
	read   func(i uint64) uint64
	took   []time.Duration
	wrong  uint64
}

// words is the number of words of a part. The first word ends the reads.
const words = 1024

func (a *attend) load() (err error) {
	d := distribution.Block(words*uint64(a.rank.Size()), a.rank.Size())
	a.table = memory.NewArray[uint64](memory.New(a.rank), "words", d)
	first := uint64(a.rank.ID()) * words
	for i := range a.table.Local()[1:] {
		a.table.Local()[i+1] = word(a.config.Seed, first+uint64(i)+1)
	}
	if a.read = a.table.Get; a.config.Asks {
		a.read = a.asks()
	}
	return nil
}

// asks makes the owner answer the reads, instead of its process.
func (a *attend) asks() func(i uint64) uint64 {
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

func (a *attend) body() {
	switch a.rank.ID() {
	case a.owner:
		done := &a.table.Local()[0]
		for atomic.LoadUint64(done) == 0 {
			a.compute()
			a.rank.Poll()
		}
	case 0:
		first := uint64(a.owner) * words
		a.read(first + 1) // sets up connections and buffers
		for n := range a.config.Reads {
			i := first + 1 + uint64(n)%(words-1)
			began := a.rank.Now()
			got := a.read(i)
			a.took = append(a.took, a.rank.Now()-began)
			if got != word(a.config.Seed, i) {
				a.wrong++
			}
			a.config.Progress.Passed(a.rank, 1, uint64(n), uint64(n+1), uint64(a.config.Reads))
		}
		a.table.Put(first, 1)
	}
}

// compute spends the owner's time, without a call.
func (a *attend) compute() {
	until := a.rank.Now() + a.config.Busy
	a.rank.Compute(a.config.Busy)
	for a.rank.Now() < until {
	}
}
