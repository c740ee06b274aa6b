package sssp

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
)

// Result is what Run reports. Seconds is the sum of all searches' times, and Counters counts the searches alone.
type Result struct {
	distgraph.Report
	Weights          string   `json:"weights"` // where they are from: given, random or one
	Delta            float64  `json:"delta"`
	Roots            []uint64 `json:"roots"` // ids
	HarmonicMeanTEPS float64  `json:"harmonic_mean_teps"`
	// AllEdgesPerSecond counts all edges of the graph for each search, reached or not, as the GAP benchmark suite does.
	AllEdgesPerSecond float64 `json:"harmonic_mean_all_edges_per_second"`
	// Offers are how many pebbles the searches have sent, over what is needed at the least: one for each vertex that is
	// reached.
	OffersPerVertex float64 `json:"offers_per_vertex"`

	// One entry a root.
	Reached      []uint64  `json:"reached"`
	Farthest     []float64 `json:"farthest"`
	DistanceSums []float64 `json:"distance_sums"`
	TEPS         []float64 `json:"teps"` // traversed edges a second, by the Graph500 rule
}

func (res *Result) add(s Summary, seconds float64) {
	res.Reached = append(res.Reached, s.Reached)
	res.Farthest = append(res.Farthest, s.Farthest)
	res.DistanceSums = append(res.DistanceSums, s.Sum)
	res.TEPS = append(res.TEPS, apps.Rate(float64(s.Traversed), seconds))
}

// Rows are labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	return res.Report.Rows("trees", "Graph500 rules", [][2]string{
		{"weights", res.Weights},
		{"delta", fmt.Sprintf("%.4g", res.Delta)},
		{"roots", fmt.Sprint(len(res.Roots))},
		{"reached", apps.Span(res.Reached)},
		{"farthest", apps.Span(res.Farthest)},
		{"offers a reached vertex", fmt.Sprintf("%.3g", res.OffersPerVertex)},
		{"traversed edges a second", fmt.Sprintf("%.4g (harmonic mean)", res.HarmonicMeanTEPS)},
		{"all edges a second", fmt.Sprintf("%.4g (harmonic mean; edges out of reach count too)", res.AllEdgesPerSecond)},
	}...)
}
