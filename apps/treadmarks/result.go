package treadmarks

import (
	"fmt"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory/pages"
)

// Result is what a run tells. Counts are of the timed kernel, over all ranks.
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
	// Cases are microseconds of what was measured beside, and of the operation itself, by name: medians over the rounds.
	Cases map[string]float64 `json:"cases,omitempty"`
	// Serial is how long the serial twin takes on rank 0, and Speedup how many times as long as the ranks.
	Serial  float64 `json:"serial_seconds,omitempty"`
	Speedup float64 `json:"speedup,omitempty"`
	Outcome string  `json:"outcome,omitempty"` // in words: what came out
	// Checksum is that of Jacobi's grid: the sum of apps.Fold of each point's bits and place, in hexadecimal digits.
	Checksum string `json:"checksum,omitempty"`

	order []string // of cases
}

// Rows is the result for display: labels and values.
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

// median is that of some times, 0 of none.
func median(took []time.Duration) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)/2]
}
