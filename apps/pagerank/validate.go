package pagerank

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// share is the pebble that carries the share of an arc's tail to its head.
type share[V distgraph.Index] struct {
	Head  V
	Score float64
}

func (s share[V]) fingerprint() uint64 { return apps.Fold(uint64(s.Head), math.Float64bits(s.Score)) }

// validator checks the scores:
//
//  1. Each is a number, and at least the score of a vertex without arcs.
//  2. One more iteration, by pebbles, would change all scores together by no more than damping times the last change.
//
// The second is the check of GAP, but sharper: it holds even if the scores have not converged. The scores of an
// iteration match the scores before it. Since then those have changed by the change of the iteration, and arcs carry on
// at most the fraction damping of it.
type validator[V distgraph.Index, F float32 | float64] struct {
	*ranking[V, F]
	shares   *target.Target[share[V]]
	out      []share[V]
	sums     []float64
	lost     float64 // by this rank's vertices without arcs
	seen     apps.Tally
	residual float64
	breaches distgraph.Breaches
}

// rounding returns a bound, with some margin, on the change of all scores together by rounding: see singleTolerance.
func (c Config) rounding() float64 {
	if c.isSingle() {
		return 1e-7
	}
	return 1e-13
}

const sendAtOnce = 512

func newValidator[V distgraph.Index, F float32 | float64](
	s *ranking[V, F], name func(what string) string,
) *validator[V, F] {
	c := &validator[V, F]{ranking: s, out: make([]share[V], 0, sendAtOnce), sums: make([]float64, s.g.Local)}
	c.shares = target.New(s.g.Rank, name("shares"), s.g.Owner,
		target.Keys(func(vs []share[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Head)
			}
		}),
		target.Batch(func(vs []share[V]) {
			for _, v := range vs {
				isOwn := s.g.Owns(uint64(v.Head))
				if c.seen.Take(v.fingerprint(), isOwn); isOwn {
					c.sums[uint64(v.Head)-s.g.First] += v.Score
				}
			}
		}))
	return c
}

func (c *validator[V, F]) run() (distgraph.Breaches, error) {
	clear(c.sums)
	c.lost = 0
	c.breaches, c.seen = distgraph.Breaches{}, apps.Tally{}
	err := c.g.Rank.Epoch(func() error {
		c.send()
		return nil
	}, pebble.Depth(1), pebble.Named("validate"))
	if err == nil {
		err = c.seen.Check(c.g.Rank, "check the scores")
	}
	if err != nil {
		return distgraph.Breaches{}, err
	}
	return c.breaches, c.compare()
}

func (c *validator[V, F]) send() {
	for v, score := range c.scores {
		row := c.Row(V(v))
		for _, head := range row {
			c.give(share[V]{head, score / float64(len(row))})
		}
		switch {
		case len(row) > 0:
		case c.config.Dangling == graph.Self:
			c.give(share[V]{V(c.g.First) + V(v), score})
		default:
			c.lost += score
		}
	}
	c.flush()
}

func (c *validator[V, F]) give(s share[V]) {
	c.seen.Send(s.fingerprint())
	if c.out = append(c.out, s); len(c.out) == cap(c.out) {
		c.flush()
	}
}

func (c *validator[V, F]) flush() {
	c.shares.SendAll(c.out)
	c.out = c.out[:0]
}

func (c *validator[V, F]) compare() (err error) {
	lost, err := pebble.AllReduce(c.g.Rank, c.lost, pebble.Sum)
	if err != nil {
		return err
	}
	base, least, residual := c.base(), c.least(lost), 0.0
	for v, score := range c.scores {
		if !(score >= base && score <= 1+c.config.rounding()) { // NaN too
			c.breaches.Add(scoreOff, c.g.First+uint64(v), 0, score, base)
		}
		residual += math.Abs(least + c.config.Damping*c.sums[v] - score)
	}
	if c.residual, err = pebble.AllReduce(c.g.Rank, residual, pebble.Sum); err != nil {
		return err
	}
	if !(c.residual <= c.config.Damping*c.change+c.config.rounding()) && c.g.Rank.ID() == 0 {
		c.breaches.Add(residualHigh, 0, 0, c.residual, c.config.Damping*c.change)
	}
	return nil
}

// The rules, and their breaches.
const (
	scoreOff = iota
	residualHigh
)

// Rules has a text for each breach, for [distgraph.Graph.Describe], which fills in two vertices and two numbers.
var Rules = []string{
	scoreOff:     "rule 1: vertex %[1]d has the score %[3]v, not one from %[4]v to 1",
	residualHigh: "rule 2: one more iteration would change the scores by %[3]v, and by %[4]v at most after the last one",
}
