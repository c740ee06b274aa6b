package bfs

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what Run reports. Seconds is the sum of all searches' times, and Counters counts the searches alone.
type Result struct {
	apps.Report
	Graph            string   `json:"graph"`
	Undirected       bool     `json:"undirected"`
	Weighted         bool     `json:"weights_ignored,omitempty"` // the file has weights; levels count arcs
	Mode             Mode     `json:"mode"`
	Vertices         uint64   `json:"vertices"`
	Edges            uint64   `json:"edges"`
	Roots            []uint64 `json:"roots"`              // ids
	Validated        bool     `json:"validated"`          // trees were checked; Errors counts the breaches
	Breaches         []string `json:"breaches,omitempty"` // the first few, on rank 0
	Ordered          bool     `json:"ordered_by_degree"`
	HarmonicMeanTEPS float64  `json:"harmonic_mean_teps"`
	// AllEdgesPerSecond is the harmonic mean too, and counts all edges of the graph for each search, reached or not, as the GAP
	// benchmark suite does. It is for comparison with figures counted that way.
	AllEdgesPerSecond float64 `json:"harmonic_mean_all_edges_per_second"`

	// One entry a root.
	Reached      []uint64  `json:"reached"`
	Depths       []int64   `json:"depths"`
	DistanceSums []uint64  `json:"distance_sums"`
	TEPS         []float64 `json:"teps"` // traversed edges a second, by the Graph500 rule
}

// breachesTold is how many breaches a result describes.
const breachesTold = 10

func (res *Result) describe(g *Graph) {
	res.Graph, res.Undirected, res.Ordered = g.Name, g.Undirected, g.Ordered
	res.Vertices, res.Edges, res.Weighted = g.Vertices, g.Edges, g.Weighted
}

func (res *Result) add(s Summary, seconds float64) {
	res.Reached = append(res.Reached, s.Reached)
	res.Depths = append(res.Depths, s.Depth)
	res.DistanceSums = append(res.DistanceSums, s.Sum)
	teps := 0.0
	if seconds > 0 { // a coarse clock may not have moved, and JSON has no infinity
		teps = float64(s.Traversed) / seconds
	}
	res.TEPS = append(res.TEPS, teps)
}

// harmonicMean is 0 when one of the rates is.
func harmonicMean(rates []float64) float64 {
	if len(rates) == 0 || slices.Min(rates) <= 0 {
		return 0
	}
	sum := 0.0
	for _, rate := range rates {
		sum += 1 / rate
	}
	return float64(len(rates)) / sum
}

// Rows are labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	kind := "directed"
	if res.Undirected {
		kind = "undirected"
	}
	if res.Weighted {
		kind += "; their weights in the file are not used"
	}
	rows := [][2]string{
		{"graph", res.Graph},
		{"vertices", fmt.Sprint(res.Vertices)},
		{"edges", fmt.Sprintf("%d, %s", res.Edges, kind)},
		{"mode", string(res.Mode)},
		{"order of vertices", res.order()},
		{"roots", fmt.Sprint(len(res.Roots))},
		{"reached", span(res.Reached)},
		{"depth", span(res.Depths)},
		{"traversed edges a second", fmt.Sprintf("%.4g (harmonic mean)", res.HarmonicMeanTEPS)},
		{"all edges a second", fmt.Sprintf("%.4g (harmonic mean; edges out of reach count too)", res.AllEdgesPerSecond)},
		{"trees", res.verdict()},
	}
	for _, text := range res.Breaches {
		rows = append(rows, [2]string{"", text})
	}
	return rows
}

func (res Result) order() string {
	if res.Ordered {
		return "by degree"
	}
	return "as given"
}

func (res Result) verdict() string {
	switch {
	case !res.Validated:
		return "not checked"
	case res.Errors > 0:
		return fmt.Sprintf("WRONG: %d breaches of the Graph500 rules", res.Errors)
	default:
		return "valid"
	}
}

// span shows the range of some values.
func span[N int64 | uint64](of []N) string {
	if len(of) == 0 {
		return "none"
	}
	least, most := slices.Min(of), slices.Max(of)
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
