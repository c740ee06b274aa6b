package centrality

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
)

// Result is what Run reports. Seconds is the sum over all sources, and Counters counts them alone.
type Result struct {
	distgraph.Report
	Mode    Mode     `json:"mode"`
	Sources []uint64 `json:"sources"` // ids
	// TEPS is edges of the graph times sources, a second, as Grappa's paper counts (section 7.2).
	TEPS             float64 `json:"teps"`
	SecondsPerSource float64 `json:"seconds_per_source"`

	// One entry a source.
	Reached []uint64  `json:"reached"`
	Depths  []int64   `json:"depths"`
	Times   []float64 `json:"times"`

	ScoreSum float64 `json:"score_sum"` // of all centralities; its last digits depend on the order of the additions
	Top      []Score `json:"top"`       // the vertices with the highest centralities, highest first
}

// Score is a vertex with its centrality.
type Score struct {
	ID    uint64  `json:"id"`
	Score float64 `json:"score"`
}

const topTold = 5 // vertices, by a result

// Rows are labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	rows := [][2]string{
		{"mode", string(res.Mode)},
		{"sources", fmt.Sprint(len(res.Sources))},
		{"reached", apps.Span(res.Reached)},
		{"depth", apps.Span(res.Depths)},
		{"a source", fmt.Sprintf("%.4g s", res.SecondsPerSource)},
		{"traversed edges a second", fmt.Sprintf("%.4g (edges times sources)", res.TEPS)},
	}
	for i, s := range res.Top {
		label := ""
		if i == 0 {
			label = "highest centralities"
		}
		rows = append(rows, [2]string{label, fmt.Sprintf("vertex %d: %.6g", s.ID, s.Score)})
	}
	return res.Report.Rows("centralities", "rules", rows...)
}
