package centrality

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// onward is the pebble that carries an arc's tail to its head; backward is the reply if the arc is on a shortest path.
type (
	onward[V vertex] struct {
		Head, Tail V
		Level      uint64 // the tail's
		Paths      float64
	}
	backward[V vertex] struct {
		Tail, Head V
		X          float64
	}
)

func (a onward[V]) fingerprint() uint64 {
	return apps.Fold(uint64(a.Head)^uint64(a.Tail)<<32, math.Float64bits(a.Paths)^a.Level<<40)
}

func (a backward[V]) fingerprint() uint64 {
	return apps.Fold(uint64(a.Tail)^uint64(a.Head)<<32, ^math.Float64bits(a.X))
}

// validator checks the result of a kernel from a source:
//
//  1. The source is at level 0, and one path leads to it.
//  2. No arc leads from a reached vertex to a vertex that is not reached, or more than one level on.
//  3. The number of paths to any other vertex is the sum of the paths to the tails of its arcs from the previous level,
//     and it is above 0.
//  4. The dependency of a vertex, divided by its paths, is the sum of (1 + dependency) / paths over the heads of the
//     arcs that lead one level on.
//
// Rules 1 to 3 prove that levels are distances and that the path counts are right. Rule 4 proves the dependencies, from
// the last level on. The cost is a pebble for each arc that leaves a reached vertex, and one for each arc on a shortest
// path; a tally accounts for all of them. The source's own dependency does not count, and is not checked.
type validator[V vertex] struct {
	*found[V]
	onwards   *target.Target[onward[V]]
	backwards *target.Target[backward[V]]
	out       []onward[V]
	back      []backward[V]
	seen      apps.Tally
	at        []uint64 // levels
	paths     []float64
	through   []float64
	breaches  distgraph.Breaches
}

func newValidator[V vertex](f *found[V]) *validator[V] {
	g := f.g
	c := &validator[V]{
		found: f, out: make([]onward[V], 0, sendAtOnce),
		at: make([]uint64, g.Local), paths: make([]float64, g.Local), through: make([]float64, g.Local),
	}
	c.onwards = target.New(g.Rank, f.target("onwards"), g.Owner,
		target.Keys(func(vs []onward[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Head)
			}
		}),
		target.Batch(c.judge))
	c.backwards = target.New(g.Rank, f.target("backwards"), g.Owner,
		target.Keys(func(vs []backward[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Tail)
			}
		}),
		target.Batch(c.sum))
	return c
}

func (c *validator[V]) run() (distgraph.Breaches, error) {
	if err := c.countable(); err != nil {
		return distgraph.Breaches{}, err
	}
	clear(c.paths)
	clear(c.through)
	c.breaches, c.seen = distgraph.Breaches{}, apps.Tally{}
	c.setLevels()
	err := c.g.Rank.Epoch(func() error {
		c.send()
		return nil
	}, pebble.Depth(2), pebble.Named("validate"))
	if err == nil {
		err = c.seen.Check(c.g.Rank, "check the centralities")
	}
	if err != nil {
		return distgraph.Breaches{}, err
	}
	c.compare()
	return c.breaches, nil
}

func (c *validator[V]) setLevels() {
	for v := range c.at {
		c.at[v] = unreached
	}
	for level := range c.depth() + 1 {
		for _, v := range c.level(level) {
			if c.at[v] != unreached {
				c.breaches.Add(reachedTwice, uint64(c.first+v), 0, float64(c.at[v]), float64(level))
			}
			c.at[v] = uint64(level)
		}
	}
}

func (c *validator[V]) send() {
	for v, level := range c.at {
		if level == unreached {
			continue
		}
		for _, w := range c.Row(V(v)) {
			a := onward[V]{w, c.first + V(v), level, c.found.paths[v]}
			c.seen.Send(a.fingerprint())
			if c.out = append(c.out, a); len(c.out) == cap(c.out) {
				c.onwards.SendAll(c.out)
				c.out = c.out[:0]
			}
		}
	}
	c.onwards.SendAll(c.out)
	c.out = c.out[:0]
}

// judge is the handler of arcs at their heads.
func (c *validator[V]) judge(vs []onward[V]) {
	c.back = c.back[:0]
	for _, a := range vs {
		isOwn := c.isOwn(a.Head)
		if c.seen.Take(a.fingerprint(), isOwn); !isOwn {
			continue
		}
		v := a.Head - c.first
		switch level := c.at[v]; {
		case level == unreached:
			c.breaches.Add(headUnreached, uint64(a.Tail), uint64(a.Head), float64(a.Level), 0)
		case level > a.Level+1:
			c.breaches.Add(levelsOfArc, uint64(a.Tail), uint64(a.Head), float64(a.Level), float64(level))
		case level == a.Level+1:
			c.paths[v] += a.Paths
			b := backward[V]{a.Tail, a.Head, c.x(v)}
			c.seen.Send(b.fingerprint())
			c.back = append(c.back, b)
		}
	}
	c.backwards.SendAll(c.back)
}

// sum is the handler of replies.
func (c *validator[V]) sum(vs []backward[V]) {
	for _, b := range vs {
		isOwn := c.isOwn(b.Tail)
		if c.seen.Take(b.fingerprint(), isOwn); isOwn {
			c.through[b.Tail-c.first] += b.X
		}
	}
}

func (c *validator[V]) compare() {
	for v, level := range c.at {
		index, paths, through := uint64(c.first)+uint64(v), c.found.paths[v], c.found.through[v]
		switch {
		case index == c.source:
			if level != 0 || paths != 1 {
				c.breaches.Add(sourceOff, index, 0, float64(level), paths)
			}
			continue
		case level == unreached && paths != 0:
			c.breaches.Add(pathsAlone, index, 0, paths, 0)
		case level != unreached && (level == 0 || !(paths > 0) || !near(paths, c.paths[v])):
			c.breaches.Add(pathsWrong, index, 0, paths, c.paths[v])
		}
		if !near(through, c.through[v]) {
			c.breaches.Add(sumWrong, index, 0, through, c.through[v])
		}
	}
}

// near reports whether two sums are equal except for the order of their additions.
func near(a, b float64) bool { return a == b || math.Abs(a-b) <= Tolerance*max(a, b) }

// The rules, and the ways to break them.
const (
	sourceOff = iota
	reachedTwice
	headUnreached
	levelsOfArc
	pathsAlone
	pathsWrong
	sumWrong
)

// Rules has a text for each, for [distgraph.Graph.Describe]. The texts format two vertices and two numbers.
var Rules = []string{
	sourceOff:     "rule 1: the source %[1]d is at level %[3]v with %[4]v paths, not at level 0 with one",
	reachedTwice:  "rule 2: vertex %[1]d is in levels %[3]v and %[4]v",
	headUnreached: "rule 2: arc %[1]d -> %[2]d leads from level %[3]v to a vertex that is not reached",
	levelsOfArc:   "rule 2: arc %[1]d -> %[2]d leads from level %[3]v to level %[4]v",
	pathsAlone:    "rule 3: %[3]v paths lead to vertex %[1]d, which is not reached",
	pathsWrong:    "rule 3: %[3]v paths lead to vertex %[1]d, and %[4]v along the arcs from the level before",
	sumWrong:      "rule 4: vertex %[1]d has %[3]v from the level that follows, and its arcs bring %[4]v",
}
