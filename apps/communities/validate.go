package communities

import (
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// validator repeats all iterations. Each vertex sends its label along its arcs, and sorts the labels that it receives.
// The final labels must equal those of the kernel.
type validator[V distgraph.Index] struct {
	*spreading[V]
	sent   *distgraph.Notes[V]
	labels []V      // by place
	inbox  []V      // received labels, by row
	free   []uint64 // by place: next free position in the inbox
}

func newValidator[V distgraph.Index](s *spreading[V], name func(what string) string) *validator[V] {
	c := &validator[V]{spreading: s}
	c.sent = distgraph.NewNotes(s.g, name("labels"), func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			v := n.Vertex - V(s.g.First)
			if at := c.free[v]; at < s.around.Offsets[v+1] { // otherwise a label arrived twice; the tally reports it
				c.inbox[at] = n.Value
				c.free[v]++
			}
		}
	})
	return c
}

func (c *validator[V]) run() (breaches distgraph.Breaches, err error) {
	c.labels, c.inbox = make([]V, c.g.Local), make([]V, len(c.around.Heads))
	c.begin(c.labels)
	for range c.most {
		changed, err := c.iterate()
		if err != nil {
			return breaches, err
		}
		if changed == 0 {
			break
		}
	}
	for v, label := range c.spreading.labels() {
		if label != c.labels[v] {
			breaches.Add(labelWrong, c.g.First+uint64(v), 0, float64(label), float64(c.labels[v]))
		}
	}
	c.labels, c.inbox = nil, nil
	return breaches, nil
}

// iterate is one iteration by pebbles. It returns the number of labels changed on all ranks.
func (c *validator[V]) iterate() (uint64, error) {
	c.free = append(c.free[:0], c.around.Offsets[:c.g.Local]...)
	before := c.sent.Tally()
	err := c.g.Rank.Epoch(func() error {
		for v, label := range c.labels {
			for _, head := range c.around.Row(V(v)) {
				c.sent.Send(head, label)
			}
		}
		c.sent.Flush()
		return nil
	}, pebble.Depth(1), pebble.Named("validate"))
	if err == nil {
		err = c.sent.Tally().Since(before).Check(c.g.Rank, "check the communities")
	}
	if err != nil {
		return 0, err
	}
	changed := uint64(0)
	for v, label := range c.labels {
		if met := c.inbox[c.around.Offsets[v]:c.free[v]]; len(met) > 0 {
			c.labels[v] = longestRun(met)
		}
		if c.labels[v] != label {
			changed++
		}
	}
	return apps.Sum(c.g.Rank, changed)
}

// longestRun sorts labels, and returns the one with the longest run; the smallest wins a tie.
func longestRun[V distgraph.Index](labels []V) (best V) {
	slices.Sort(labels)
	most, begin := 0, 0
	for i, label := range labels {
		if label != labels[begin] {
			begin = i
		}
		if n := i + 1 - begin; n > most {
			most, best = n, label
		}
	}
	return best
}

// The only rule.
const labelWrong = 0

// Rules has the text of the rule, for [distgraph.Graph.Describe]. It formats two vertices and two numbers. Labels are
// numbers of vertices.
var Rules = []string{
	labelWrong: "vertex %[1]d has the label %[3]v, and %[4]v by pebbles along its arcs",
}
