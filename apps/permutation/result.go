package permutation

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what a run of Permutation tells.
type Result struct {
	apps.Report
	Log2Elements      int     `json:"log2_elements"` // of each rank
	Elements          uint64  `json:"elements"`      // of all ranks
	ElementsPerSecond float64 `json:"elements_per_second"`
}

// result is what is known before the run.
func (b *bench) result() Result {
	return Result{
		Report:       apps.NewReport(b.rank, "permutation", b.config.Seed),
		Log2Elements: b.config.Log2Elements,
		Elements:     b.owner.Len(),
	}
}

func (r *Result) rate() { r.ElementsPerSecond = apps.Rate(float64(r.Elements), r.Seconds) }

// Rows is the result for display: labels and values.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"elements", fmt.Sprintf("%d, 2^%d a rank", r.Elements, r.Log2Elements)},
		{"elements per second", fmt.Sprintf("%.2f million", r.ElementsPerSecond/1e6)},
	}
}
