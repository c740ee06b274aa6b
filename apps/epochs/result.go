package epochs

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what a run tells.
type Result struct {
	apps.Report
	Epochs          uint64  `json:"epochs"`
	Pebbles         uint64  `json:"pebbles"` // that each rank sends in each epoch
	SecondsPerEpoch float64 `json:"seconds_per_epoch"`
}

// Rows is the result for display: labels and values.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"epochs", fmt.Sprintf("%d, of %d pebbles from each rank", r.Epochs, r.Pebbles)},
		{"time per epoch", fmt.Sprintf("%.3f µs", r.SecondsPerEpoch*1e6)},
	}
}
