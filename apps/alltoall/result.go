package alltoall

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what a run of the all-to-all tells.
type Result struct {
	apps.Report
	Faults
	Bytes          int     `json:"bytes"`  // of an item
	Rounds         uint64  `json:"rounds"` // items from each rank to each other
	Items          uint64  `json:"items"`  // of all ranks
	ItemsPerSecond float64 `json:"items_per_second"`
}

// result is what is known before the run.
func (b *bench) result() Result {
	report := apps.NewReport(b.rank, "alltoall", b.config.Seed)
	report.Cache = 0 // no two items are equal: there is nothing to reduce
	return Result{
		Report: report,
		Bytes:  b.config.Bytes, Rounds: b.config.Rounds, Items: b.items() * uint64(b.rank.Size()),
	}
}

func (r *Result) rate() { r.ItemsPerSecond = apps.Rate(float64(r.Items), r.Seconds) }

// Rows is the result for display: labels and values.
func (r Result) Rows() [][2]string {
	if r.Items == 0 {
		return [][2]string{{"items", "none: a rank alone has no other to send to"}}
	}
	rows := [][2]string{
		{"items", fmt.Sprintf("%d of %d bytes, in %d rounds", r.Items, r.Bytes, r.Rounds)},
		{"items per second", fmt.Sprintf("%.2f million, %.1f MB/s", r.ItemsPerSecond/1e6, r.ItemsPerSecond*float64(r.Bytes)/1e6)},
	}
	if r.Errors > 0 {
		rows = append(rows, [2]string{"faults", r.text()})
	}
	return rows
}
