package bfs

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
)

// Result is what Run reports. Seconds is the sum of all searches' times, and Counters counts the searches alone.
type Result struct {
	distgraph.Report
	Mode             Mode     `json:"mode"`
	Roots            []uint64 `json:"roots"` // ids
	HarmonicMeanTEPS float64  `json:"harmonic_mean_teps"`
	// AllEdgesPerSecond is the harmonic mean too, and counts all edges of the graph for each search, reached or not, as
	// the GAP benchmark suite does. It is for comparison with figures counted that way.
	AllEdgesPerSecond float64 `json:"harmonic_mean_all_edges_per_second"`

	// One entry a root.
	Reached      []uint64  `json:"reached"`
	Depths       []int64   `json:"depths"`
	DistanceSums []uint64  `json:"distance_sums"`
	TEPS         []float64 `json:"teps"` // traversed edges a second, by the Graph500 rule
}

func (res *Result) add(s Summary, seconds float64) {
	res.Reached = append(res.Reached, s.Reached)
	res.Depths = append(res.Depths, s.Depth)
	res.DistanceSums = append(res.DistanceSums, s.Sum)
	res.TEPS = append(res.TEPS, apps.Rate(float64(s.Traversed), seconds))
}

// Rows are labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	return res.Report.Rows("trees", "Graph500 rules", [][2]string{
		{"mode", string(res.Mode)},
		{"order of vertices", res.order()},
		{"roots", fmt.Sprint(len(res.Roots))},
		{"reached", apps.Span(res.Reached)},
		{"depth", apps.Span(res.Depths)},
		{"traversed edges a second", fmt.Sprintf("%.4g (harmonic mean)", res.HarmonicMeanTEPS)},
		{"all edges a second", fmt.Sprintf("%.4g (harmonic mean; edges out of reach count too)", res.AllEdgesPerSecond)},
	}...)
}

func (res Result) order() string {
	if res.Ordered {
		return "by degree"
	}
	return "as given"
}
