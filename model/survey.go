package model

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/activepebbles/pebbles/route"
)

// survey is the state of a Survey.
type survey struct {
	Shape
	t      route.Topology
	staged route.Staged // nil when links have no stages
	layout Layout
	walk   *walk
}

func newSurvey(topology route.Constructor, ranks int, layout Layout) (*survey, error) {
	if ranks < 1 {
		return nil, fmt.Errorf("model: a job of %d ranks: it has at least one", ranks)
	}
	if ranks > RanksMax {
		return nil, tooLarge(ranks)
	}
	layout, err := layout.complete(ranks)
	if err != nil {
		return nil, err
	}
	t, err := build(topology, ranks, layout)
	if err != nil {
		return nil, err
	}
	s := &survey{Shape: Shape{Topology: t.Name(), Ranks: ranks}, t: t, layout: layout, walk: newWalk(ranks)}
	if staged, ok := t.(route.Staged); ok {
		s.staged, s.Stages = staged, staged.Stages()
	}
	return s, nil
}

// exactly walks all routes, and keeps what each link carries.
func (s *survey) exactly() error {
	n := s.Ranks
	s.Exact = true
	loads := make([]float64, n*n) // by both ends
	sent := make([]float64, n)    // by rank: what all its links carry
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
	busiest := 0
	var mean tally
	for at := range n {
		s.Neighbors = max(s.Neighbors, len(s.t.Neighbors(at)))
		if sent[at] > sent[busiest] {
			busiest = at
		}
		s.lanesOf(&mean, loads, at, 1/float64(n))
	}
	var worst tally
	s.lanesOf(&worst, loads, busiest, 1)
	s.Mean, s.Busiest = mean.lanes(), worst.lanes()
	return nil
}

// lanesOf adds the lanes of a rank, with a weight.
func (s *survey) lanesOf(t *tally, loads []float64, at int, weight float64) {
	for to, load := range loads[at*s.Ranks : (at+1)*s.Ranks] {
		if load > 0 {
			t.add(lane{s.layout.class(at, to), load}, weight, weight*load)
		}
	}
}

// lane tells lanes apart: by class, and by what they carry or by stage.
type lane struct {
	class Class
	kind  float64
}

// tally sums lanes up by kind.
type tally struct{ sums map[lane]*[2]float64 } // lanes, and what they carry together

func (t *tally) add(l lane, count, pebbles float64) {
	if t.sums == nil {
		t.sums = map[lane]*[2]float64{}
	}
	sum := t.sums[l]
	if sum == nil {
		sum = new([2]float64)
		t.sums[l] = sum
	}
	sum[0] += count
	sum[1] += pebbles
}

// lanes are the sums in a fixed order, so that all ranks who ask get equal results.
func (t *tally) lanes() (all []Lanes) {
	keys := make([]lane, 0, len(t.sums))
	for l := range t.sums {
		keys = append(keys, l)
	}
	slices.SortFunc(keys, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.class, b.class),
			cmp.Compare(a.kind, b.kind))
	})
	for _, l := range keys {
		if sum := t.sums[l]; sum[0] > 0 && sum[1] > 0 {
			all = append(all, Lanes{l.class, sum[0], sum[1] / sum[0]})
		}
	}
	return all
}

// kind is what is known of a link without counting: its class and its stage.
func (s *survey) kind(from, to int) lane {
	l := lane{class: s.layout.class(from, to)}
	if s.staged != nil {
		l.kind = float64(s.staged.Stage(from, to))
	}
	return l
}

// sample is the i-th of the ranks that stand for all. Odd steps of the golden ratio reach all parts and all low bits
// alike.
func (s *survey) sample(i int) int {
	const golden = 0x9E3779B97F4A7C15
	high, _ := bits.Mul64(uint64(i+1)*golden, uint64(s.Ranks))
	return int(high)
}

// bySamples walks the routes to some ranks, and asks some for their neighbours.
func (s *survey) bySamples(topology route.Constructor) error {
	n := float64(s.Ranks)
	var mean tally
	for i := range samples {
		dest := s.sample(i)
		if err := s.walk.to(s.t, dest); err != nil {
			return err
		}
		for at, next := range s.walk.next {
			if next >= 0 { // n-1 destinations in place of the samples
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
	s.findBusiest(topology)
	return nil
}

// ask asks ranks for their neighbours: all, or as many as a million neighbours are of. Their weights are 1 together.
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

// findBusiest has the busiest rank carry what two smaller jobs of the same topology say by how their busiest ranks
// grow; where ranks are alike there, they are here. A topology that is for this number of ranks alone has its sizes in
// its name, and all its ranks are alike.
func (s *survey) findBusiest(topology route.Constructor) {
	doublings := bits.Len(uint((s.Ranks - 1) / exactRanks))
	load, even := busiest(topology, s.Ranks>>doublings)
	less, _ := busiest(topology, s.Ranks>>(doublings+1))
	factor := 1.0
	if !even && less > 0 {
		factor = max(1, load*math.Pow(load/less, float64(doublings))/sent(s.Mean))
	}
	for _, l := range s.Mean {
		l.Pebbles *= factor
		s.Busiest = append(s.Busiest, l)
	}
}

// busiest is what the busiest of so many ranks sends, and whether all send about as much.
func busiest(topology route.Constructor, ranks int) (load float64, even bool) {
	s, err := Survey(topology, ranks, Layout{})
	if err != nil {
		return 0, true
	}
	load = sent(s.Busiest)
	return load, load < 1.01*sent(s.Mean)
}

// sent is what lanes carry together.
func sent(all []Lanes) (pebbles float64) {
	for _, l := range all {
		pebbles += l.Count * l.Pebbles
	}
	return pebbles
}
