package distgraph

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Rows are the arcs at a rank's vertices. Heads[Offsets[v]:Offsets[v+1]] are the other ends of the arcs of the v-th
// vertex, sorted, each once. The vertex itself is among them only in graphs with self-loops. In an ordered graph the
// heads are sorted by their places in their owners' blocks, so that those with most arcs come first.
type Rows[V Index] struct {
	Offsets []uint64
	Heads   []V
	Weights []float64 // weights of the arcs, in the order of Heads; nil in rows without weights
}

// Row returns the heads of the arcs of this rank's v-th vertex; it aliases the graph.
func (c *Rows[V]) Row(v V) []V { return c.Heads[c.Offsets[v]:c.Offsets[v+1]] }

// WeightsOf returns the weights of these arcs, in the order of Row; it aliases the graph.
func (c *Rows[V]) WeightsOf(v V) []float64 { return c.Weights[c.Offsets[v]:c.Offsets[v+1]] }

// Leads reports whether this rank's v-th vertex has an arc to head. It costs a binary search in the row, which tidy has
// sorted.
func (c *Rows[V]) Leads(g *Graph, v, head V) bool {
	if !g.Ordered {
		_, found := slices.BinarySearch(c.Row(v), head)
		return found
	}
	size, ranks := V(g.Owner.Key(1, 0)), V(g.Rank.Size())
	_, found := slices.BinarySearchFunc(c.Row(v), byPlace(head, size, ranks), func(head, wanted V) int {
		return cmp.Compare(byPlace(head, size, ranks), wanted)
	})
	return found
}

// byPlace returns a sort key for a head of an ordered graph: its place, by degree, in a block of the given size.
func byPlace[V Index](head, size, ranks V) V { return head%size*ranks + head/size }

// buildPart sends this rank's share of the edges, and makes its part of the graph from the arcs that arrive.
func buildPart[V Index](g *Graph, source Source, o outline) (*Part[V], error) {
	var got collector[V]
	isWeighed := source.Weights != Unweighted
	arcs := newArcs(g, "arcs", isWeighed, got.add)
	if err := sendEdges(g, source, o, func(batch edges) { arcs.sendEdges(batch, o.undirected) }); err != nil {
		return nil, err
	}
	if err := arcs.check(g); err != nil {
		return nil, err
	}
	source.begin("edges sorted")
	p := &Part[V]{Counts: got.degrees(V(g.First), g.Local)}
	var err error
	if g.Ordered, err = isOrdered(g, source.Order, p.Counts); err != nil {
		return nil, err
	}
	if g.Ordered {
		if err := p.order(g, &got, isWeighed); err != nil {
			return nil, err
		}
	}
	p.Rows = got.sort(g, isWeighed)
	if g.Undirected {
		p.Into = p.Rows
	}
	return p, nil
}

// sendEdges passes this rank's share of the edges to send. It is an epoch.
func sendEdges(g *Graph, source Source, o outline, send func(batch edges)) error {
	return g.Rank.Epoch(func() error {
		return source.share(g.Rank.ID(), g.Rank.Size(), o, send)
	}, pebble.Depth(1), pebble.Named("rows"))
}

// Reverse makes the rows of the arcs that lead to this rank's vertices, without weights. Every arc travels once, to the
// owner of its head. All ranks call it, between epochs.
func (p *Part[V]) Reverse(g *Graph) error {
	const sendAtOnce = 512
	var got collector[V]
	arcs := newArcs(g, "reversed arcs", false, got.add)
	out := make([]arc[V], 0, sendAtOnce)
	err := g.Rank.Epoch(func() error {
		for v := range g.Local {
			for _, head := range p.Row(V(v)) {
				if out = append(out, arc[V]{head, V(g.First) + V(v)}); len(out) == cap(out) {
					arcs.sendAll(out, nil)
					out = out[:0]
				}
			}
		}
		arcs.sendAll(out, nil)
		return nil
	}, pebble.Depth(1), pebble.Named("rows"))
	if err == nil {
		err = arcs.check(g)
	}
	if err != nil {
		return err
	}
	p.Into = got.sort(g, false)
	return nil
}

// NeedInto makes the rows of the arcs that lead to this rank's vertices, as Reverse does, if they do not exist yet. It
// returns an error if the available memory is too small. All ranks call it, between epochs.
func (p *Part[V]) NeedInto(g *Graph) error {
	if p.Into != nil {
		return nil
	}
	need := 3 * g.IndexBytes() * float64(g.Edges) / float64(g.Rank.Size())
	if err := g.Fits("reverse the arcs of", need); err != nil {
		return err
	}
	return p.Reverse(g)
}

// collector stores the arcs of a rank's vertices as they arrive. The list of chunks grows without copying, and shrinks
// while rows are made from it.
type collector[V Index] struct {
	chunks  [][]arc[V]
	weights [][]float64 // in the order of the chunks; nil without weights
	count   uint64
}

const arcsPerChunk = 1 << 14

func (c *collector[V]) add(vs []arc[V], weights []float64) {
	c.count += uint64(len(vs))
	for len(vs) > 0 {
		last := len(c.chunks) - 1
		if last < 0 || len(c.chunks[last]) == arcsPerChunk {
			c.chunks = append(c.chunks, make([]arc[V], 0, arcsPerChunk))
			last++
		}
		chunk := c.chunks[last]
		n := min(len(vs), arcsPerChunk-len(chunk))
		c.chunks[last] = append(chunk, vs[:n]...)
		vs = vs[n:]
		if weights != nil {
			if len(chunk) == 0 {
				c.weights = append(c.weights, make([]float64, 0, arcsPerChunk))
			}
			c.weights[last] = append(c.weights[last], weights[:n]...)
			weights = weights[n:]
		}
	}
}

// degrees returns the number of arcs of each vertex, including duplicates and self-loops.
func (c *collector[V]) degrees(first V, vertices int) []uint64 {
	counts := make([]uint64, vertices)
	for _, chunk := range c.chunks {
		for _, a := range chunk {
			counts[a.Tail-first]++
		}
	}
	return counts
}

// weightsOf returns the weights of a chunk; nil if arcs have none.
func (c *collector[V]) weightsOf(chunk int) []float64 {
	if c.weights == nil {
		return nil
	}
	return c.weights[chunk]
}

// forget releases a chunk.
func (c *collector[V]) forget(chunk int) {
	if c.chunks[chunk] = nil; c.weights != nil {
		c.weights[chunk] = nil
	}
}

// sort makes rows by a counting sort, sorts each row, and releases the arcs.
func (c *collector[V]) sort(g *Graph, isWeighed bool) *Rows[V] {
	first := V(g.First)
	// Degrees are counted two positions ahead. Their prefix sum leaves the beginning of row v at v+1; placing the heads
	// then moves it to the end of row v.
	offsets := make([]uint64, g.Local+2)
	for _, chunk := range c.chunks {
		for _, a := range chunk {
			offsets[a.Tail-first+2]++
		}
	}
	for v := range g.Local {
		offsets[v+2] += offsets[v+1]
	}
	made := &Rows[V]{offsets[:g.Local+1], make([]V, c.count), nil}
	if isWeighed {
		made.Weights = make([]float64, c.count)
	}
	for i, chunk := range c.chunks {
		weights := c.weightsOf(i)
		for j, a := range chunk {
			at := &offsets[a.Tail-first+1]
			made.Heads[*at] = a.Head
			if isWeighed {
				made.Weights[*at] = weights[j]
			}
			*at++
		}
		c.forget(i)
	}
	c.chunks, c.weights = nil, nil
	made.tidy(g)
	return made
}

// tidy sorts each row and removes duplicates, and self-loops unless the graph keeps them. In an ordered graph, the
// vertices with the highest degrees come first: a search against the direction of arcs looks for any reached vertex,
// and these are reached first.
func (c *Rows[V]) tidy(g *Graph) {
	size, ranks := V(g.Owner.Key(1, 0)), V(g.Rank.Size())
	end := uint64(0)
	var sorter lightest[V]
	for v := range g.Local {
		from, to := c.Offsets[v], c.Offsets[v+1]
		row := c.Heads[from:to]
		if g.Ordered {
			for i, head := range row {
				row[i] = byPlace(head, size, ranks)
			}
		}
		var weights []float64
		if c.Weights == nil {
			slices.Sort(row)
			row = slices.Compact(row)
		} else {
			weights = c.Weights[from:to]
			row = row[:sorter.sort(row, weights)]
		}
		if g.Ordered {
			for i, key := range row {
				row[i] = key%ranks*size + key/ranks
			}
		}
		c.Offsets[v] = end
		own := V(g.First) + V(v)
		for i, head := range row {
			if head == own && !g.SelfLoops {
				continue
			}
			c.Heads[end] = head
			if weights != nil {
				c.Weights[end] = weights[i]
			}
			end++
		}
	}
	c.Offsets[g.Local] = end
	c.Heads = c.Heads[:end]
	if c.Weights != nil {
		c.Weights = c.Weights[:end]
	}
}

// lightest sorts a row with weights, and keeps the lightest of the arcs to one head.
type lightest[V Index] []heavy[V]

type heavy[V Index] struct {
	head   V
	weight float64
}

// sort returns the number of arcs that are left.
func (s *lightest[V]) sort(heads []V, weights []float64) int {
	all := (*s)[:0]
	for i, head := range heads {
		all = append(all, heavy[V]{head, weights[i]})
	}
	slices.SortFunc(all, func(a, b heavy[V]) int {
		return cmp.Or(cmp.Compare(a.head, b.head), cmp.Compare(a.weight, b.weight))
	})
	*s = all
	n := 0
	for i, a := range all {
		if i > 0 && a.head == all[i-1].head {
			continue
		}
		heads[n], weights[n] = a.head, a.weight
		n++
	}
	return n
}

// arc is the pebble that builds a graph; weighed is an arc with a weight. Both go to the owner of the tail.
type (
	arc[V Index]     struct{ Tail, Head V }
	weighed[V Index] struct {
		Tail, Head V
		Weight     float64
	}
)

func (a arc[V]) fingerprint() uint64 { return apps.Fold(uint64(a.Tail), uint64(a.Head)) }

func (a weighed[V]) fingerprint() uint64 {
	return apps.Fold(uint64(a.Tail)^math.Float64bits(a.Weight)<<16, uint64(a.Head)^math.Float64bits(a.Weight))
}

// arcs sends arcs and accounts for them: in a graph with a lost arc a search would not fail.
type arcs[V Index] struct {
	plain   *target.Target[arc[V]]
	weighed *target.Target[weighed[V]] // nil if plain is not
	name    string
	tally   apps.Tally
	vs      []arc[V] // buffer for a batch with weights
	ws      []float64
	out     []weighed[V]
	both    []arc[V]
}

// newArcs registers a target that passes the arcs that arrive, with any weights, to take.
func newArcs[V Index](g *Graph, what string, isWeighed bool, take func(vs []arc[V], weights []float64)) *arcs[V] {
	s, first, local := &arcs[V]{name: g.target(what)}, V(g.First), V(g.Local)
	if isWeighed {
		s.weighed = target.New(g.Rank, s.name, g.Owner,
			target.Keys(func(vs []weighed[V], keys []uint64) {
				for i := range vs {
					keys[i] = uint64(vs[i].Tail)
				}
			}),
			target.Batch(func(vs []weighed[V]) {
				s.vs, s.ws = s.vs[:0], s.ws[:0]
				for _, v := range vs {
					isOwn := v.Tail-first < local
					if s.tally.Take(v.fingerprint(), isOwn); isOwn {
						s.vs, s.ws = append(s.vs, arc[V]{v.Tail, v.Head}), append(s.ws, v.Weight)
					}
				}
				take(s.vs, s.ws)
			}))
		return s
	}
	s.plain = target.New(g.Rank, s.name, g.Owner,
		target.Keys(func(vs []arc[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Tail)
			}
		}),
		target.Batch(func(vs []arc[V]) {
			own := vs[:0]
			for _, v := range vs {
				isOwn := v.Tail-first < local
				s.tally.Take(v.fingerprint(), isOwn)
				if isOwn {
					own = append(own, v)
				}
			}
			take(own, nil)
		}))
	return s
}

// sendEdges sends the arcs of edges, two for each edge if undirected.
func (s *arcs[V]) sendEdges(batch edges, undirected bool) {
	both := s.both[:0]
	s.both = nil // handlers may run and send edges
	for _, e := range batch.list {
		both = append(both, arc[V]{V(e.From), V(e.To)})
	}
	s.sendAll(both, batch.weights)
	if undirected {
		for i, a := range both {
			both[i] = arc[V]{a.Head, a.Tail}
		}
		s.sendAll(both, batch.weights)
	}
	s.both = both
}

// sendAll sends arcs, with weights if the target takes them.
func (s *arcs[V]) sendAll(vs []arc[V], weights []float64) {
	if s.weighed == nil {
		for _, v := range vs {
			s.tally.Send(v.fingerprint())
		}
		s.plain.SendAll(vs)
		return
	}
	var out []weighed[V]
	out, s.out = s.out[:0], nil
	for i, v := range vs {
		a := weighed[V]{v.Tail, v.Head, weights[i]}
		s.tally.Send(a.fingerprint())
		out = append(out, a)
	}
	s.weighed.SendAll(out)
	s.out = out
}

// check returns an error, on all ranks, if an arc was lost. All ranks call it.
func (s *arcs[V]) check(g *Graph) error {
	return s.tally.Check(g.Rank, fmt.Sprintf("build graph %s by pebbles of %s", g.Name, s.name))
}

// Arranger sorts lists of a rank's vertices by a bitmap. Going through vertices in order reads their rows in the order
// of memory, several times as fast as jumps from row to row.
type Arranger[V Index] []uint64

// NewArranger returns an Arranger for lists of a rank's vertices, with a bit for each vertex.
func NewArranger[V Index](vertices int) Arranger[V] { return make([]uint64, vertices/64+1) }

// Arrange sorts a list of different vertices, if it is long enough to be worth a pass over the whole bitmap.
func (a Arranger[V]) Arrange(list []V) {
	if len(list) < len(a) {
		return
	}
	for _, v := range list {
		a[v/64] |= 1 << (v % 64)
	}
	n := 0
	for i, word := range a {
		for ; word != 0; word &= word - 1 {
			list[n] = V(i)*64 + V(bits.TrailingZeros64(word))
			n++
		}
		a[i] = 0
	}
}
