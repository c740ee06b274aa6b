package components

import (
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// validator checks the labels:
//
//  1. A label is no larger than the index of its vertex.
//  2. The ends of each arc have the same label.
//  3. A flood from each vertex that has its own index as its label, along arcs both ways, reaches every vertex.
//
// By 2 a component has one label. By 2 and 3 all vertices with one label are connected. The label is the index of one
// of them, by 1 the smallest. The flood is one epoch, with a pebble for each arc and direction.
type validator[V distgraph.Index] struct {
	*found[V]
	visits   *distgraph.Notes[V]
	reached  []bool // by place
	queue    []V
	breaches distgraph.Breaches
}

func newValidator[V distgraph.Index](f *found[V], name func(what string) string) *validator[V] {
	c := &validator[V]{found: f}
	c.visits = distgraph.NewNotes(f.g, name("visits"), func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			c.visit(n)
		}
	})
	return c
}

func (c *validator[V]) run() (distgraph.Breaches, error) {
	before := c.visits.Tally()
	c.breaches, c.reached, c.queue = distgraph.Breaches{}, make([]bool, c.local), c.queue[:0]
	labels := c.labels()
	err := c.g.Rank.Epoch(func() error {
		for v, label := range labels {
			index := c.first + V(v)
			if label > index {
				c.breaches.Add(labelHigh, uint64(index), 0, float64(label), 0)
			}
			if label == index {
				c.reach(V(v))
			}
		}
		return nil
	}, pebble.Named("validate"), pebble.Idle(c.spread))
	if err == nil {
		err = c.visits.Tally().Since(before).Check(c.g.Rank, "check the components")
	}
	for v, is := range c.reached {
		if !is {
			c.breaches.Add(unreached, uint64(c.first)+uint64(v), 0, float64(labels[v]), 0)
		}
	}
	return c.breaches, err
}

// reach adds a vertex to the flood when it is reached for the first time.
func (c *validator[V]) reach(v V) {
	if !c.reached[v] {
		c.reached[v] = true
		c.queue = append(c.queue, v)
	}
}

// spread is the epoch's idle work: it floods from some vertices of the queue.
func (c *validator[V]) spread() bool {
	const atOnce = 64
	did := false
	for range atOnce {
		last := len(c.queue) - 1
		if last < 0 {
			break
		}
		v := c.queue[last]
		c.queue, did = c.queue[:last], true
		label := c.labels()[v]
		for _, w := range c.Row(v) {
			c.visits.Send(w, label)
		}
	}
	c.visits.Flush()
	return did
}

// visit handles an arc at its head.
func (c *validator[V]) visit(n distgraph.Note[V]) {
	v := n.Vertex - c.first
	if label := c.labels()[v]; label != n.Value {
		c.breaches.Add(labelsDiffer, uint64(n.Vertex), 0, float64(label), float64(n.Value))
	}
	c.reach(v)
}

// The rules, and their breaches.
const (
	labelHigh = iota
	labelsDiffer
	unreached
)

// Rules has a text for each breach, for [distgraph.Graph.Describe], which fills in two vertices and two numbers. Labels
// are indices.
var Rules = []string{
	labelHigh:    "rule 1: vertex %[1]d has the label %[3]v, which is not the smallest of its component",
	labelsDiffer: "rule 2: vertex %[1]d has the label %[3]v, and one that it has an arc with the label %[4]v",
	unreached:    "rule 3: vertex %[1]d has the label %[3]v, and no path leads there from the vertex with this index",
}
