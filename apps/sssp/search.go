package sssp

import (
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// Search is a kernel on a graph and the result of its last search. It belongs to its rank's goroutine.
type Search interface {
	// From searches from the vertex with this index. It panics if that is no vertex. All ranks call it.
	From(root uint64) error
	// Delta returns the width of a bucket.
	Delta() float64
	// Tally returns this rank's tally of the pebbles of all searches so far.
	Tally() apps.Tally
	// Summary returns the sums of the result over all ranks. All ranks call it.
	Summary() (Summary, error)
	// Validate checks the result, with one pebble for each arc that leaves a reached vertex. It returns the breaches
	// that this rank found, or an error on all ranks if pebbles were not handled as sent. All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Result returns the parent and the distance of this rank's vertices in the order of the source, graph.Unreached
	// and +Inf for those that were not reached. Parents are numbers of the source's vertices. It makes new slices, and
	// costs two pebbles for each vertex in an ordered graph. All ranks call it.
	Result() (parent []int64, dist []float64, err error)
	// Columns returns vertex, parent and distance of this rank's reached vertices, by labels and in their order: see
	// [distgraph.TreeColumns]. All ranks call it.
	Columns() ([]export.Column, error)
}

// Summary is the result of a search in numbers. They do not depend on the choice among shortest paths.
type Summary struct {
	Reached  uint64  // number of vertices, with the root
	Farthest float64 // the largest distance
	Sum      float64 // sum of all distances; its last digits depend on the order of the additions
	// Traversed is the number of edges that Graph500 divides the time by: those of the reached component, each counted
	// once. In a directed graph it is the number of arcs whose tail is reached.
	Traversed uint64
}

// Tuning is the tuning of a Search. The zero Tuning is for normal use.
type Tuning struct {
	Unfiltered bool    // as in Config
	Delta      float64 // as in Config
}

// NewSearch registers the kernel on g, which has weights. All ranks call it, between epochs. The kernel keeps 20 bytes
// for each vertex of the rank, 16 for each waiting one, and 4 for each vertex of the graph. If the available memory is
// too small, it returns an error.
func NewSearch(g *distgraph.Graph, tuning Tuning) (Search, error) {
	if err := g.Fits("search shortest paths of", 4*float64(g.Vertices)+60*float64(g.Local)); err != nil {
		return nil, err
	}
	if g.Wide != nil {
		return newSearch(g, g.Wide, tuning)
	}
	return newSearch(g, g.Narrow, tuning)
}

const (
	// sendAtOnce is the number of pebbles that a kernel buffers before it sends them.
	sendAtOnce = 512
	// expandAtOnce is about the number of arcs that a rank processes before it polls for arrivals.
	expandAtOnce = 1 << 13
)

// offer is the pebble of a search. It offers a vertex a distance and a parent, and goes to the vertex's owner.
type offer[V distgraph.Index] struct {
	Vertex, Parent V
	Dist           float64
}

func (o offer[V]) fingerprint() uint64 {
	return apps.Fold(uint64(o.Vertex)^uint64(o.Parent)<<32, math.Float64bits(o.Dist))
}

// search is the kernel.
type search[V distgraph.Index] struct {
	*distgraph.Part[V]
	g      *distgraph.Graph
	target func(what string) string // names of targets
	first  V                        // index of the rank's first vertex
	local  V                        // number of its vertices
	root   uint64                   // index of the root
	parent []V                      // None for vertices that are not reached
	dist   []float64
	tally  apps.Tally
	check  *validator[V]
	names  *distgraph.Parents[V]

	offers   *target.Target[offer[V]]
	out      []offer[V]
	waiting  buckets[V]
	expanded []float64 // the distance of each vertex when it last made its offers
	// told has a bound for each vertex of the graph, rounded up: the distance of this rank's vertices, and the shortest
	// distance that it has offered to others. The latter are infinite if unfiltered.
	told       []float32
	unfiltered bool
}

func newSearch[V distgraph.Index](g *distgraph.Graph, p *distgraph.Part[V], tuning Tuning) (Search, error) {
	if p.Weights == nil && len(p.Heads) > 0 {
		panic("sssp: a search of graph " + g.Name + ", which was built without weights")
	}
	s := &search[V]{
		Part: p, g: g, target: g.Kernel("sssp"), first: V(g.First), local: V(g.Local),
		parent: make([]V, g.Local), dist: make([]float64, g.Local), expanded: make([]float64, g.Local),
		told: make([]float32, g.Vertices), unfiltered: tuning.Unfiltered, out: make([]offer[V], 0, sendAtOnce),
	}
	var err error
	if s.waiting.delta, err = s.width(tuning.Delta); err != nil {
		return nil, err
	}
	s.offers = target.New(g.Rank, s.target("offers"), g.Owner,
		target.Keys(func(vs []offer[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Vertex)
			}
		}),
		target.Batch(s.arrive),
		target.Reduce(reduce.Best(func(a, b offer[V]) bool { return a.Dist < b.Dist })))
	s.check = newValidator(s)
	s.names = distgraph.NewParents[V](g, s.target)
	return s, nil
}

// width returns the width of a bucket: as given, or twice the heaviest weight divided by the mean, over all arcs, of
// the degree of the arc's end. So a vertex whose distance falls brings about two others into its own bucket, with hubs
// in the mean. In wider buckets many vertices make offers before their distances are final. Weights by which a path may
// overflow a float64 are an error. All ranks call it.
func (s *search[V]) width(given float64) (float64, error) {
	type extent struct{ heaviest, arcs, squares float64 }
	var own extent
	for v := range s.g.Local {
		degree := float64(len(s.Row(V(v))))
		own.arcs += degree
		own.squares += degree * degree
	}
	if len(s.Weights) > 0 {
		own.heaviest = slices.Max(s.Weights)
	}
	all, err := pebble.AllReduce(s.g.Rank, own, func(a, b extent) extent {
		return extent{max(a.heaviest, b.heaviest), a.arcs + b.arcs, a.squares + b.squares}
	})
	switch delta := 2 * all.heaviest * (all.arcs / all.squares); {
	case err != nil:
		return 0, err
	case all.heaviest > math.MaxFloat64/float64(s.g.Vertices):
		return 0, fmt.Errorf("sssp: a weight of %g: a path of %d vertices may overflow a float64: give weights up to %g",
			all.heaviest, s.g.Vertices, math.MaxFloat64/float64(s.g.Vertices))
	case given > 0:
		return given, nil
	case delta > 0 && delta <= math.MaxFloat64:
		return delta, nil
	}
	return 1, nil // all weights are 0
}

// Delta implements Search.
func (s *search[V]) Delta() float64 { return s.waiting.delta }

// Tally implements Search.
func (s *search[V]) Tally() apps.Tally { return s.tally }

// isOwn reports whether the vertex with this index is one of this rank's.
func (s *search[V]) isOwn(index V) bool { return index-s.first < s.local }

// From implements Search. It costs one epoch. A vertex may accept several offers before the best one arrives, and makes
// offers each time. So it processes more arcs than the graph has; the number depends on delta, and on the difference of
// the ranks' progress.
func (s *search[V]) From(root uint64) error {
	if root >= s.g.Vertices {
		panic(fmt.Sprintf("sssp: a search from vertex %d of a graph of %d vertices", root, s.g.Vertices))
	}
	s.root = root
	for v := range s.dist {
		s.parent[v], s.dist[v], s.expanded[v] = distgraph.None[V](), math.Inf(1), math.Inf(1)
	}
	for v := range s.told {
		s.told[v] = float32(math.Inf(1))
	}
	s.waiting.clear()
	if s.g.Owns(root) {
		s.approach(V(root)-s.first, V(root), 0)
	}
	return s.g.Rank.Epoch(func() error { return nil }, pebble.Idle(s.work), pebble.Named("relax"))
}

// arrive is the handler of offers.
func (s *search[V]) arrive(vs []offer[V]) {
	for _, o := range vs {
		isOwn := s.isOwn(o.Vertex)
		if s.tally.Take(o.fingerprint(), isOwn); !isOwn {
			continue
		}
		if v := o.Vertex - s.first; o.Dist < s.dist[v] {
			s.approach(v, o.Parent, o.Dist)
		}
	}
}

// approach gives a vertex of this rank a shorter distance and a parent.
func (s *search[V]) approach(v, parent V, dist float64) {
	s.parent[v], s.dist[v], s.told[s.first+v] = parent, dist, roundUp(dist)
	s.waiting.join(v, dist)
}

// work is the idle work. Vertices of the nearest bucket make their offers until expandAtOnce arcs are done. When the
// bucket is empty, it flushes the offers: otherwise other ranks would work on farther buckets meanwhile.
func (s *search[V]) work() bool {
	if s.waiting.isEmpty() {
		return false
	}
	at, isEmpty := s.waiting.nearest(), false
	for arcs := 0; arcs < expandAtOnce; {
		w, ok := s.waiting.pop(at)
		if !ok {
			isEmpty = true
			break
		}
		if v := w.vertex; s.dist[v] == w.dist && s.expanded[v] != w.dist {
			s.expanded[v] = w.dist
			arcs += s.expand(v)
		}
	}
	s.sendAll()
	if isEmpty {
		s.offers.Flush()
	}
	return true
}

// expand makes offers along the arcs of v, and returns their number. It compares with told before it finds the owner of
// a head: most offers are too long, and a branch by owner is mispredicted half of the time.
func (s *search[V]) expand(v V) (arcs int) {
	from, row, told := s.dist[v], s.Row(v), s.told
	weights := s.WeightsOf(v)[:len(row)]
	for i, w := range row {
		if dist := from + weights[i]; dist < float64(told[w]) {
			s.offer(w, s.first+v, dist)
		}
	}
	return len(row)
}

// offer offers a vertex a distance and a parent. A vertex of this rank takes them at once.
func (s *search[V]) offer(vertex, parent V, dist float64) {
	if own := vertex - s.first; own < s.local {
		if dist < s.dist[own] {
			s.approach(own, parent, dist)
		}
		return
	}
	if !s.unfiltered {
		s.told[vertex] = roundUp(dist)
	}
	if s.out = append(s.out, offer[V]{vertex, parent, dist}); len(s.out) == cap(s.out) {
		s.sendAll()
	}
}

// roundUp returns the least float32 that is not below a distance.
func roundUp(dist float64) float32 {
	short := float32(dist)
	if float64(short) < dist {
		return math.Nextafter32(short, float32(math.Inf(1)))
	}
	return short
}

func (s *search[V]) sendAll() {
	for _, o := range s.out {
		s.tally.Send(o.fingerprint())
	}
	s.offers.SendAll(s.out)
	s.out = s.out[:0]
}

// Summary implements Search.
func (s *search[V]) Summary() (Summary, error) {
	var sum Summary
	for v, dist := range s.dist {
		if math.IsInf(dist, 1) {
			continue
		}
		sum.Reached++
		sum.Sum += dist
		sum.Farthest = max(sum.Farthest, dist)
		sum.Traversed += s.Counts[v]
	}
	sum, err := pebble.AllReduce(s.g.Rank, sum, func(a, b Summary) Summary {
		return Summary{a.Reached + b.Reached, max(a.Farthest, b.Farthest), a.Sum + b.Sum, a.Traversed + b.Traversed}
	})
	sum.Traversed /= s.g.ArcsPerEdge()
	return sum, err
}

// Validate implements Search.
func (s *search[V]) Validate() (distgraph.Breaches, error) { return s.check.run() }

// Result implements Search.
func (s *search[V]) Result() (parent []int64, dist []float64, err error) {
	parents, err := s.names.Ask(s.parent)
	if err != nil {
		return nil, nil, err
	}
	parent, dist = make([]int64, s.local), make([]float64, s.local)
	for number := range parent {
		place := s.Place(uint64(number))
		parent[number], dist[number] = graph.Unreached, s.dist[place]
		if parents[place] != distgraph.None[V]() {
			parent[number] = int64(parents[place])
		}
	}
	return parent, dist, nil
}

// Columns implements Search.
func (s *search[V]) Columns() ([]export.Column, error) {
	return distgraph.TreeColumns(s.g, s.Part, s.root, s.dist)
}

// bucketCount is the number of buckets of width delta from the nearest on. All farther vertices wait in one heap.
const bucketCount = 1 << 10

// buckets are waiting vertices by distance. A vertex is in them once for each time that its distance fell; when it is
// taken out, its distance shows whether the entry is still valid. Emptied memory is reused.
//
// The number of a bucket is the distance divided by delta. Bucket b is ring[b % bucketCount] if b is less than
// bucketCount above from. Other vertices are in far, and enter the ring when from reaches the nearest of them. A bucket
// below from lowers from; then a place of the ring may hold vertices of two buckets. pop moves vertices of the other
// bucket to far.
type buckets[V distgraph.Index] struct {
	delta   float64
	ring    [bucketCount][]waiting[V]
	far     []waiting[V]
	from    uint64 // no waiting vertex is in a lower bucket
	nearFar uint64 // no vertex of far is in a lower bucket
	near    int    // number of vertices in the ring
}

type waiting[V distgraph.Index] struct {
	dist   float64
	vertex V
}

func (b *buckets[V]) clear() {
	for i := range b.ring {
		b.ring[i] = b.ring[i][:0]
	}
	b.far, b.from, b.nearFar, b.near = b.far[:0], 0, math.MaxUint64, 0
}

func (b *buckets[V]) isEmpty() bool { return b.near == 0 && len(b.far) == 0 }

// of returns the bucket of a distance. The farthest distances share the last bucket.
func (b *buckets[V]) of(dist float64) uint64 {
	const last = 1 << 62
	if at := dist / b.delta; at < last {
		return uint64(at)
	}
	return last
}

func (b *buckets[V]) join(v V, dist float64) {
	at := b.of(dist)
	if b.isEmpty() {
		b.from = at
	}
	b.from = min(b.from, at)
	b.insert(waiting[V]{dist, v}, at)
}

func (b *buckets[V]) insert(w waiting[V], at uint64) {
	if at-b.from >= bucketCount {
		b.putFar(w, at)
		return
	}
	place := &b.ring[at%bucketCount]
	*place = append(*place, w)
	b.near++
}

func (b *buckets[V]) putFar(w waiting[V], at uint64) {
	b.far = append(b.far, w)
	b.nearFar = min(b.nearFar, at)
}

// nearest returns the nearest bucket that may have vertices. At least one must wait.
func (b *buckets[V]) nearest() uint64 {
	for {
		if b.near == 0 {
			b.from = b.nearFar
		}
		if b.from >= b.nearFar {
			b.refill()
		}
		if len(b.ring[b.from%bucketCount]) > 0 {
			return b.from
		}
		b.from++
	}
}

// refill moves vertices from far into the ring if their buckets fit.
func (b *buckets[V]) refill() {
	far := b.far
	b.far, b.nearFar = b.far[:0], math.MaxUint64
	for _, w := range far {
		b.insert(w, b.of(w.dist))
	}
}

// pop removes a vertex from a bucket, and reports whether there was one.
func (b *buckets[V]) pop(at uint64) (w waiting[V], ok bool) {
	place := &b.ring[at%bucketCount]
	for last := len(*place) - 1; last >= 0; last-- {
		w = (*place)[last]
		*place = (*place)[:last]
		b.near--
		if is := b.of(w.dist); is != at {
			b.putFar(w, is)
			continue
		}
		return w, true
	}
	return w, false
}
