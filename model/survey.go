package model

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/activepebbles/pebbles/route"
)

// Shape is the traffic of a topology for one pebble from each rank to each other one.
type Shape struct {
	Topology  string // its name
	Ranks     int
	Neighbors int     // most neighbours of a rank
	Hops      int     // of the longest route
	MeanHops  float64 // over all pairs of different ranks
	Stages    int     // of links; 0 without stages
	Exact     bool    // all routes were walked; otherwise those to some ranks
	Mean      []Lanes // of a rank in the mean
	Busiest   []Lanes // of the rank that sends and forwards most
}

// Lanes are links of a rank with equal load.
type Lanes struct {
	Class   Class
	Count   float64 // links; a mean over ranks need not be whole
	Pebbles float64 // load of each, for one pebble from each rank to each other one
}

const (
	exactRanks     = 512     // up to this number, all routes are walked: 5 to 10 ms
	samples        = 16      // of ranks, beyond that
	askedNeighbors = 1 << 20 // of the ranks with counted neighbours, about
)

// Survey counts the traffic of a topology. Up to 512 ranks it is exact and costs a call of Next for each pair of ranks,
// some milliseconds in all. Beyond, it walks the routes to 16 ranks and counts the neighbours of all ranks, or of
// enough ranks for a million neighbours. That is exact if ranks are alike, except for differences between lanes of one
// class and stage. The load of the busiest rank is then extrapolated from smaller jobs of the same topology. The error
// is that of the topology's constructor.
func Survey(topology route.Constructor, ranks int, layout Layout) (Shape, error) {
	if err := checkRanks(ranks); err != nil {
		return Shape{}, err
	}
	layout, err := layout.complete(ranks)
	if err != nil {
		return Shape{}, err
	}
	t, err := build(topology, ranks, layout)
	if err != nil {
		return Shape{}, err
	}
	s := newSurvey(t, layout)
	if err = s.count(ranks <= exactRanks); err == nil && !s.Exact {
		s.findBusiest(topology)
	}
	return s.Shape, err
}

// build makes a topology, and turns a panic of its constructor into an error.
func build(topology route.Constructor, ranks int, layout Layout) (t route.Topology, err error) {
	if topology == nil {
		return nil, errors.New("model: there is no topology: give a constructor, such as route.Direct")
	}
	defer func() {
		switch why := recover().(type) {
		case nil:
		case string:
			err = fmt.Errorf("model: %s", why)
		default:
			panic(why)
		}
	}()
	return route.PlaceOn(topology(ranks), places{layout, ranks}), nil
}

// survey is the state of a Survey.
type survey struct {
	Shape
	t      route.Topology
	staged route.Staged // nil if links have no stages
	layout Layout
	walk   *walk
}

func newSurvey(t route.Topology, layout Layout) *survey {
	n := t.Ranks()
	s := &survey{Shape: Shape{Topology: t.Name(), Ranks: n}, t: t, layout: layout, walk: newWalk(n)}
	if staged, ok := t.(route.Staged); ok {
		s.staged, s.Stages = staged, staged.Stages()
	}
	return s
}

// count walks all routes, or those to some ranks.
func (s *survey) count(exact bool) error {
	if exact {
		return s.exactly()
	}
	return s.bySamples()
}

// exactly walks all routes, and stores the load of each link.
func (s *survey) exactly() error {
	n := s.Ranks
	s.Exact = true
	loads := make([]float64, n*n) // by both ends
	sent := make([]float64, n)    // by rank: load of all its links
	for dest := range n {
		if err := s.walk.to(s.t, dest); err != nil {
			return err
		}
		for at, next := range s.walk.next {
			if next >= 0 {
				loads[at*n+int(next)] += s.walk.carry[at]
				sent[at] += s.walk.carry[at]
				s.MeanHops += float64(s.walk.far[at])
				s.Hops = max(s.Hops, int(s.walk.far[at]))
			}
		}
	}
	s.MeanHops /= max(1, float64(n)*float64(n-1))
	busiest, mean, worst := 0, tally{}, tally{}
	for at := range n {
		s.Neighbors = max(s.Neighbors, len(s.t.Neighbors(at)))
		if sent[at] > sent[busiest] {
			busiest = at
		}
		s.lanesOf(mean, loads, at, 1/float64(n))
	}
	s.lanesOf(worst, loads, busiest, 1)
	s.Mean, s.Busiest = mean.lanes(), worst.lanes()
	return nil
}

// lanesOf adds the lanes of a rank, with a weight.
func (s *survey) lanesOf(t tally, loads []float64, at int, weight float64) {
	for to, load := range loads[at*s.Ranks : (at+1)*s.Ranks] {
		if load > 0 {
			t.add(lane{s.layout.class(at, to), load}, weight, weight*load)
		}
	}
}

// lane distinguishes lanes: by class, and by load or stage.
type lane struct {
	class Class
	kind  float64
}

// tally sums lanes by kind: their number, and their total load.
type tally map[lane][2]float64

func (t tally) add(l lane, count, pebbles float64) {
	sum := t[l]
	t[l] = [2]float64{sum[0] + count, sum[1] + pebbles}
}

// lanes returns the sums in a fixed order, so that all ranks get equal results.
func (t tally) lanes() (all []Lanes) {
	keys := slices.SortedFunc(maps.Keys(t), func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.kind, b.kind))
	})
	for _, l := range keys {
		if sum := t[l]; sum[0] > 0 && sum[1] > 0 {
			all = append(all, Lanes{l.class, sum[0], sum[1] / sum[0]})
		}
	}
	return all
}

// kind returns the properties of a link that need no counting: its class and its stage.
func (s *survey) kind(from, to int) lane {
	l := lane{class: s.layout.class(from, to)}
	if s.staged != nil {
		l.kind = float64(s.staged.Stage(from, to))
	}
	return l
}

// sample returns the i-th sampled rank. Odd steps of the golden ratio reach all parts and all low bits equally.
func (s *survey) sample(i int) int {
	const golden = 0x9E3779B97F4A7C15
	high, _ := bits.Mul64(uint64(i+1)*golden, uint64(s.Ranks))
	return int(high)
}

// bySamples walks the routes to some ranks, and counts the neighbours of some.
func (s *survey) bySamples() error {
	n, mean := float64(s.Ranks), tally{}
	for i := range samples {
		dest := s.sample(i)
		if err := s.walk.to(s.t, dest); err != nil {
			return err
		}
		for at, next := range s.walk.next {
			if next >= 0 { // n-1 destinations instead of the samples
				mean.add(s.kind(at, int(next)), 0, s.walk.carry[at]/samples)
				s.MeanHops += float64(s.walk.far[at]) / samples / (n - 1)
				s.Hops = max(s.Hops, int(s.walk.far[at]))
			}
		}
	}
	s.ask(func(at int, neighbors []int, weight float64) {
		for _, to := range neighbors {
			mean.add(s.kind(at, to), weight, 0)
		}
	})
	if hops, ok := route.Hops(s.t); ok {
		s.Hops = hops
	}
	s.Mean = mean.lanes()
	return nil
}

// ask visits the neighbours of all ranks, or of enough ranks for a million neighbours. The weights sum to 1.
func (s *survey) ask(each func(at int, neighbors []int, weight float64)) {
	first := s.t.Neighbors(0)
	s.Neighbors = len(first)
	asked := min(s.Ranks, max(samples, askedNeighbors/max(1, len(first))))
	for i := range asked {
		at := i
		if asked < s.Ranks {
			at = s.sample(i)
		}
		neighbors := s.t.Neighbors(at)
		s.Neighbors = max(s.Neighbors, len(neighbors))
		each(at, neighbors, 1/float64(asked))
	}
}

// findBusiest extrapolates the load of the busiest rank from those of two smaller jobs of the same topology; if ranks
// are alike there, they are here. A topology for this number of ranks alone has its sizes in its name, and all its
// ranks are alike.
func (s *survey) findBusiest(topology route.Constructor) {
	doublings := bits.Len(uint((s.Ranks - 1) / exactRanks))
	load, even := busiest(topology, s.Ranks>>doublings, s.layout)
	less, _ := busiest(topology, s.Ranks>>(doublings+1), s.layout)
	factor := 1.0
	if !even && less > 0 {
		factor = max(1, load*math.Pow(load/less, float64(doublings))/sent(s.Mean))
	}
	for _, l := range s.Mean {
		l.Pebbles *= factor
		s.Busiest = append(s.Busiest, l)
	}
}

// busiest returns the load of the busiest of the given number of ranks, and reports whether all loads are about equal.
func busiest(topology route.Constructor, ranks int, l Layout) (load float64, even bool) {
	s, err := Survey(topology, ranks, l)
	if err != nil {
		return 0, true
	}
	load = sent(s.Busiest)
	return load, load < 1.01*sent(s.Mean)
}

// sent returns the total load of lanes.
func sent(all []Lanes) (pebbles float64) {
	for _, l := range all {
		pebbles += l.Count * l.Pebbles
	}
	return pebbles
}

// walk follows the routes of all ranks to one. Routes to a rank form a tree: each hop has one next, so a call of Next
// for each rank gives all of them.
type walk struct {
	next  []int32
	far   []int32   // hops to go; -1: unknown
	order []int32   // ranks, the farthest first
	carry []float64 // routes that pass a rank or start there
	path  []int32
}

func newWalk(ranks int) *walk {
	return &walk{
		next: make([]int32, ranks), far: make([]int32, ranks), order: make([]int32, ranks),
		carry: make([]float64, ranks),
	}
}

// to follows the routes to dest. Afterwards order, next and carry describe the load that each rank sends there.
func (w *walk) to(t route.Topology, dest int) error {
	longest := int32(0)
	for at := range w.next {
		w.far[at], w.carry[at], w.next[at] = -1, 1, -1
		if at != dest {
			w.next[at] = int32(t.Next(at, dest))
		}
	}
	w.far[dest] = 0
	for at := range w.next {
		if !w.measure(int32(at)) {
			return fmt.Errorf("model: topology %q: the route from rank %d to rank %d does not arrive: check it first",
				t.Name(), at, dest)
		}
		longest = max(longest, w.far[at])
	}
	w.sort(int(longest))
	for _, at := range w.order {
		if next := w.next[at]; next >= 0 {
			w.carry[next] += w.carry[at]
		}
	}
	return nil
}

// measure computes the distance of a rank, and of all on its way; false if the way has no end.
func (w *walk) measure(at int32) bool {
	w.path = w.path[:0]
	for ; w.far[at] < 0; at = w.next[at] {
		if len(w.path) >= len(w.next) {
			return false
		}
		w.path = append(w.path, at)
	}
	for far := w.far[at]; len(w.path) > 0; w.path = w.path[:len(w.path)-1] {
		far++
		w.far[w.path[len(w.path)-1]] = far
	}
	return true
}

// sort puts the farthest ranks first, by counting.
func (w *walk) sort(longest int) {
	starts := make([]int32, longest+2)
	for _, far := range w.far {
		starts[longest-int(far)+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	for at, far := range w.far {
		i := longest - int(far)
		w.order[starts[i]] = int32(at)
		starts[i]++
	}
}

// Reach is the distance that pebbles travel over a topology, and the number of ranks that one sends to directly.
type Reach struct {
	Neighbors int     // most neighbours of a rank
	MeanHops  float64 // over all pairs of different ranks
	Exact     bool    // otherwise from the routes to 16 ranks, and from enough ranks for a million neighbours
}

// ReachOf computes the reach of a job's topology, which must be sound. It is exact up to 512 ranks, and for a topology
// with one hop. It takes 20 bytes of memory for each rank. The error names a route that does not arrive.
func ReachOf(t route.Topology) (Reach, error) {
	n := t.Ranks()
	if hops, ok := route.Hops(t); ok && hops == 1 {
		return Reach{n - 1, min(1, float64(n-1)), true}, nil
	}
	s := newSurvey(t, Layout{n, n})
	err := s.count(n <= exactRanks)
	return Reach{s.Neighbors, s.MeanHops, s.Exact}, err
}
