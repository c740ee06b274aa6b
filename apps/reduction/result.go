package reduction

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what a run of the reduction tells.
type Result struct {
	apps.Report
	Kind           string  `json:"kind"`
	Keys           uint64  `json:"keys"`
	Items          uint64  `json:"items"` // of all ranks
	ItemsPerSecond float64 `json:"items_per_second"`
}

// result is what is known before the run.
func (b *bench) result() Result {
	report := apps.NewReport(b.rank, "reduce", b.config.Seed)
	report.Cache = b.config.entries()
	return Result{
		Report: report,
		Kind:   b.config.Kind, Keys: b.config.Keys, Items: b.config.Items * uint64(b.rank.Size()),
	}
}

func (r *Result) rate() { r.ItemsPerSecond = apps.Rate(float64(r.Items), r.Seconds) }

// Rows is the result for display: labels and values.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"items", fmt.Sprint(r.Items)},
		{"keys", fmt.Sprintf("%d, by %s", r.Keys, r.Kind)},
		{"items per second", fmt.Sprintf("%.2f million", r.ItemsPerSecond/1e6)},
		{"merged on the way", fmt.Sprintf("%.2f %%", 100*float64(r.Counters.Merged)/float64(r.Items))},
	}
}
