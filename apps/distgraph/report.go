package distgraph

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// Report is the report of a kernel that goes over a whole graph, or starts from some of its vertices in turn. A
// kernel's report embeds it and adds fields. Seconds is the sum over all starts, and Counters covers only these.
type Report struct {
	apps.Report
	Graph      string   `json:"graph"`
	Undirected bool     `json:"undirected"`
	Weighted   bool     `json:"weights_ignored,omitempty"` // the file has weights; arcs count 1 each
	Vertices   uint64   `json:"vertices"`
	Edges      uint64   `json:"edges"`
	Ordered    bool     `json:"ordered_by_degree"`
	Validated  bool     `json:"validated"`          // results were checked; Errors is the number of breaches
	Breaches   []string `json:"breaches,omitempty"` // the first few, on rank 0

	done   int    // starts
	broken uint64 // breaches that this rank has found at them
}

// breachesTold is the number of breaches that a report describes.
const breachesTold = 10

// NewReport returns a report with the fields that are known before a run.
func NewReport(r *pebble.Rank, app string, c apps.Common) Report {
	return Report{Report: apps.NewReport(r, app, c.Seed), Validated: !c.SkipValidation}
}

// load builds the graph and calls prepare with it. SetUp is the time of both. All ranks call it.
func (p *Report) load(r *pebble.Rank, s Source, prepare func(g *Graph) error) (g *Graph, err error) {
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

// Kernel is an algorithm that starts from a vertex of a graph.
type Kernel interface {
	From(start uint64) error     // starts from one vertex
	Validate() (Breaches, error) // checks the result of From
	Tally() apps.Tally
}

// Each runs k from each start, times it, adds the run to the report by add, and checks it. rules have a text for each
// kind of breach, as for Describe. It returns the number of breaches that this rank found. All ranks call it.
func (p *Report) Each(g *Graph, s Source, starts []uint64, k Kernel, rules []string,
	add func(seconds float64) error) (breaches uint64, err error) {
	for ; p.done < len(starts); p.done++ {
		seconds, err := p.Repeat(g.Rank, func() error { return k.From(starts[p.done]) })
		if err != nil {
			return 0, err
		}
		if err := add(seconds); err != nil {
			return 0, err
		}
		found, err := p.validate(g, k, rules)
		if err != nil {
			return 0, err
		}
		p.broken += found
		if s.Progress != nil && g.Rank.ID() == 0 {
			s.Progress(uint64(p.done+1), uint64(len(starts)))
		}
	}
	return p.broken, nil
}

// Whole is a kernel that goes over all of a graph at once.
type Whole interface {
	Run() error
	Validate() (Breaches, error) // checks the result of Run
	Tally() apps.Tally
}

// Work is the use that an application makes of a kernel over a whole graph. All ranks call all functions.
type Work[K Whole] struct {
	Prepare func(g *Graph) (K, error) // makes the kernel
	Phase   string                    // names the run of the kernel for apps.Common.Phase
	Sum     func(g *Graph, k K) error // adds the result to the report, before it is checked
	Rules   []string                  // as for Each
	// Columns returns this rank's rows of a correct result, if wanted. By is the column that apps.Output.Top sorts by.
	Columns func(g *Graph, k K) ([]export.Column, error)
	By      string
}

// Over builds the graph of s, makes a kernel for it, runs and times the kernel, checks the result, and writes its rows
// as c.Output says. It completes the report and returns the kernel. All ranks call it.
func Over[K Whole](p *Report, r *pebble.Rank, c apps.Common, s Source, w Work[K]) (k K, err error) {
	out, err := apps.NewRowWriter(r, c.Output, w.By)
	if err != nil {
		return k, err
	}
	defer out.Abort()
	s.Progress, s.Phase = c.Progress, c.Phase
	g, err := p.load(r, s, func(g *Graph) (err error) {
		k, err = w.Prepare(g)
		return err
	})
	if err != nil {
		return k, err
	}
	s.beginOn(r, w.Phase)
	if _, err := p.Repeat(r, k.Run); err != nil {
		return k, err
	}
	if err := w.Sum(g, k); err != nil {
		return k, err
	}
	breaches, err := p.validate(g, k, w.Rules)
	if err != nil {
		return k, err
	}
	if err := p.Found(r, breaches, "breaches of the rules"); err != nil {
		return k, err
	}
	if err := p.Finish(r, k.Tally()); err != nil {
		return k, err
	}
	return k, out.Keep(&p.Report, func() ([]export.Column, error) { return w.Columns(g, k) })
}

func (p *Report) validate(g *Graph, k interface{ Validate() (Breaches, error) }, rules []string) (uint64, error) {
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
	texts, err := g.Describe(found, rules)
	room := max(0, breachesTold-len(p.Breaches))
	p.Breaches = append(p.Breaches, texts[:min(len(texts), room)]...)
	return found.Count, err
}

// Rows returns labels and values for display: of the graph, own, and the verdict on checked, such as trees, by rules.
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

// Breaches are the places at which a result breaks a rule, as found by one rank.
type Breaches struct {
	Count uint64
	First []Breach // the first few
}

// Breach is one place at which a result breaks a rule: the rule, two vertices, and two numbers. It is plain data for
// rank 0.
type Breach struct {
	Rule uint64 // index in the kernel's rules
	V, W uint64 // indices
	A, B float64
}

const breachesKept = 3 // that a rank describes

// Add records a breach of a rule at vertices v and w, with numbers x and y.
func (b *Breaches) Add(rule int, v, w uint64, x, y float64) {
	b.Count++
	if len(b.First) < breachesKept {
		b.First = append(b.First, Breach{uint64(rule), v, w, x, y})
	}
}

// Describe returns texts for the first breaches of each rank, with labels, on rank 0, and nil on the others. rules have
// a format for each rule, with verbs for two vertices and two numbers. All ranks call it, each with its own breaches.
func (g *Graph) Describe(b Breaches, rules []string) (texts []string, err error) {
	gathered, err := pebble.AllGatherSlice(g.Rank, b.First)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(gathered...)
	var indices []uint64
	for _, x := range all {
		indices = append(indices, x.V, x.W)
	}
	labels, err := g.Labels(indices)
	if err != nil || g.Rank.ID() != 0 {
		return nil, err
	}
	for i, x := range all {
		texts = append(texts, fmt.Sprintf(rules[x.Rule], labels.At(2*i), labels.At(2*i+1), x.A, x.B))
	}
	return texts, nil
}
