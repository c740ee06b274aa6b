package distgraph

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// Report is what kernels report that go from some vertices of a graph, one after the other. A kernel embeds it and adds
// fields of its own. Seconds is the sum over all starts, and Counters counts these alone.
type Report struct {
	apps.Report
	Graph      string   `json:"graph"`
	Undirected bool     `json:"undirected"`
	Weighted   bool     `json:"weights_ignored,omitempty"` // the file has weights; arcs count 1 each
	Vertices   uint64   `json:"vertices"`
	Edges      uint64   `json:"edges"`
	Ordered    bool     `json:"ordered_by_degree"`
	Validated  bool     `json:"validated"`          // results were checked; Errors counts the breaches
	Breaches   []string `json:"breaches,omitempty"` // the first few, on rank 0
}

// breachesTold is how many breaches a report describes.
const breachesTold = 10

// NewReport fills in what is known before a run.
func NewReport(r *pebble.Rank, app string, seed uint64, validated bool) Report {
	return Report{Report: apps.NewReport(r, app, seed), Validated: validated}
}

// Load builds the graph and has prepare make what goes through it, in the time that the report has for setting up. All
// ranks call it.
func (p *Report) Load(r *pebble.Rank, s Source, prepare func(g *Graph) error) (g *Graph, err error) {
	p.SetUp, err = apps.Timed(r, func() error {
		if g, err = Build(r, s); err != nil {
			return err
		}
		return prepare(g)
	})
	if err != nil {
		return nil, err
	}
	p.Graph, p.Undirected, p.Ordered = g.Name, g.Undirected, g.Ordered
	p.Vertices, p.Edges, p.Weighted = g.Vertices, g.Edges, g.Weighted && s.Weights == ""
	return g, nil
}

// Kernel goes through a graph.
type Kernel interface {
	From(start uint64) error     // goes from one vertex
	Validate() (Breaches, error) // checks what that has found
	Tally() apps.Tally
}

// Each goes from all starts: timed, then added to the report by add, then checked. phase names this part of the run for
// s.Phase; words tell a breach. It returns how many breaches this rank has found. All ranks call it.
func (p *Report) Each(g *Graph, s Source, starts []uint64, k Kernel, phase string, words func(Breach) string, add func(seconds float64) error) (breaches uint64, err error) {
	if s.Phase != nil && g.Rank.ID() == 0 {
		s.Phase(phase)
	}
	for i, start := range starts {
		seconds, err := p.Repeat(g.Rank, func() error { return k.From(start) })
		if err != nil {
			return 0, err
		}
		if err := add(seconds); err != nil {
			return 0, err
		}
		found, err := p.validate(g, k, words)
		if err != nil {
			return 0, err
		}
		breaches += found
		if s.Progress != nil && g.Rank.ID() == 0 {
			s.Progress(uint64(i+1), uint64(len(starts)))
		}
	}
	return breaches, nil
}

func (p *Report) validate(g *Graph, k Kernel, words func(Breach) string) (uint64, error) {
	if !p.Validated {
		return 0, nil
	}
	var found Breaches
	seconds, err := apps.Timed(g.Rank, func() (err error) {
		found, err = k.Validate()
		return err
	})
	if err != nil {
		return 0, err
	}
	p.Verify += seconds
	texts, err := g.Describe(found, words)
	room := max(0, breachesTold-len(p.Breaches))
	p.Breaches = append(p.Breaches, texts[:min(len(texts), room)]...)
	return found.Count, err
}

// Rows are labels and values for display: of the graph, the kernel's own, and whether what was checked, such as trees,
// kept the rules.
func (p Report) Rows(checked, rules string, own ...[2]string) [][2]string {
	kind := "directed"
	if p.Undirected {
		kind = "undirected"
	}
	if p.Weighted {
		kind += "; their weights in the file are not used"
	}
	rows := append([][2]string{
		{"graph", p.Graph},
		{"vertices", fmt.Sprint(p.Vertices)},
		{"edges", fmt.Sprintf("%d, %s", p.Edges, kind)},
	}, own...)
	rows = append(rows, [2]string{checked, apps.Verdict(p.Validated, p.Errors, "breaches of the "+rules)})
	for _, text := range p.Breaches {
		rows = append(rows, [2]string{"", text})
	}
	return rows
}
