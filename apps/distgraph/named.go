package distgraph

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/target"
)

// named is an edge on its way from rank to rank until its ends are indices: From first, then To.
type named struct {
	From, To uint64
	Weight   float64
}

func (e named) fingerprint() uint64 { return apps.Fold(e.From, e.To) }

// naming turns the ends of edges into indices: an edge visits the rank that has the id of its first end, then that of
// its second end, and goes on as arcs.
type naming struct {
	ids         *ids
	froms, tos  *target.Target[named]
	tally       apps.Tally
	out, next   []named
	arrived     edges
	strangers   uint64 // ids that the table does not have
	then        func(batch edges)
	withWeights bool
}

// newNaming registers the two targets. then is called in handlers, with the edges whose ends are indices.
func newNaming(g *Graph, t *ids, isWeighed bool, then func(batch edges)) *naming {
	n := &naming{ids: t, then: then, withWeights: isWeighed}
	register := func(what string, id func(e named) uint64, take func(vs []named)) *target.Target[named] {
		return target.New(g.Rank, g.target(what), distribution.Ranks(g.Rank.Size()),
			target.Keys(func(vs []named, keys []uint64) {
				for i, e := range vs {
					keys[i] = t.owner(id(e))
				}
			}),
			target.Batch(func(vs []named) {
				for _, e := range vs {
					n.tally.Take(e.fingerprint(), t.owner(id(e)) == uint64(g.Rank.ID()))
				}
				take(vs)
			}))
	}
	n.froms = register("tails", func(e named) uint64 { return e.From }, n.takeFrom)
	n.tos = register("heads", func(e named) uint64 { return e.To }, n.takeTo)
	return n
}

// send sends edges whose ends are ids.
func (n *naming) send(batch edges) {
	out := n.out[:0]
	n.out = nil // handlers may run
	for i, e := range batch.list {
		edge := named{From: e.From, To: e.To}
		if batch.weights != nil {
			edge.Weight = batch.weights[i]
		}
		n.tally.Send(edge.fingerprint())
		out = append(out, edge)
	}
	n.froms.SendAll(out)
	n.out = out
}

func (n *naming) takeFrom(vs []named) {
	out := n.next[:0]
	for _, e := range vs {
		e.From = n.index(e.From)
		n.tally.Send(e.fingerprint())
		out = append(out, e)
	}
	n.next = out
	n.tos.SendAll(out)
}

func (n *naming) takeTo(vs []named) {
	batch := edges{list: n.arrived.list[:0], weights: n.arrived.weights[:0]}
	for _, e := range vs {
		batch.list = append(batch.list, graph.Edge{From: e.From, To: n.index(e.To)})
		batch.weights = append(batch.weights, e.Weight)
	}
	n.arrived = batch
	if !n.withWeights {
		batch.weights = nil
	}
	n.then(batch)
}

// index is the index of an id that this rank has. The first pass has met all ids, unless the file has changed.
func (n *naming) index(id uint64) uint64 {
	index := n.ids.own(id)
	if index >= n.ids.vertices() {
		n.strangers++
		return 0
	}
	return index
}
