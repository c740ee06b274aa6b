package pointerchase

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what a run of PointerChase tells.
type Result struct {
	apps.Report
	Hops          uint64  `json:"hops"` // steps of the message along the ring
	SecondsPerHop float64 `json:"seconds_per_hop"`
}

// result is what is known before the run.
func (b *bench) result() Result {
	report := apps.NewReport(b.rank, "pointerchase", b.config.Seed)
	report.Coalesce, report.Cache = 1, 0
	return Result{Report: report, Hops: b.last}
}

func (r *Result) rate() { r.SecondsPerHop = r.Seconds / float64(r.Hops) }

// Rows is the result for display: labels and values.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"hops", fmt.Sprint(r.Hops)},
		{"time per hop", fmt.Sprintf("%.3f µs", r.SecondsPerHop*1e6)},
	}
}
