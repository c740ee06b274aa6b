package contagion

import (
	"cmp"
	"slices"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
)

// sweeper goes through the visits of a location in order of time, and finds who met whom for how long.
type sweeper struct {
	*rules
	visits      []visit // of the location, in any order
	events      []event
	susceptible heap
	infectious  heap
	out         func(x exposure)
	meetings    uint64 // pairs of visits that overlapped
	contacts    uint64 // of these, as many as touch in the mean: Loimos's interactions

	location uint32
	day      int
	touches  float64
	engine   *chance.Standard // Loimos's, of the location
	stream   chance.Counter   // ours
}

// event is an arrival or a departure. Its key is the place, then the time, then departures before arrivals: who comes
// when another goes does not meet that one.
type event struct {
	key   uint64
	visit uint32
}

const (
	isArrival  = 1
	timeBits   = 17 // of a day's seconds
	placeShift = timeBits + 1
)

// sweep goes through s.visits, on a day. engine is the location's engine, which Loimos's numbers come from.
func (s *sweeper) sweep(location uint32, day int, engine *chance.Standard) {
	s.location, s.day, s.engine = location, day, engine
	s.stream = chance.At(s.Seed, useContact, uint64(location), uint64(day))
	s.touches = s.touch(int(location))
	s.events = s.events[:0]
	for i, v := range s.visits {
		if s.carries[v.State] != 0 {
			at := uint64(v.Place) << placeShift
			s.events = append(s.events, event{at | uint64(v.Arrive)<<1 | isArrival, uint32(i)},
				event{at | uint64(v.Depart)<<1, uint32(i)})
		}
	}
	slices.SortFunc(s.events, func(a, b event) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		v, w := &s.visits[a.visit], &s.visits[b.visit]
		return cmp.Or(cmp.Compare(v.Person, w.Person), cmp.Compare(v.Number, w.Number))
	})
	present, met := uint64(0), uint64(0)
	for _, e := range s.events {
		if e.key&isArrival != 0 {
			present++
			s.arrive(e.visit)
			continue
		}
		present--
		met += present
		s.depart(e.visit)
	}
	if s.Meetings {
		s.meetings += met
		s.contacts += uint64(s.touches * float64(met))
	}
}

// of is where those are kept who are there in a visitor's condition; nil if others don't care.
func (s *sweeper) of(v *visit) *heap {
	switch k := s.carries[v.State]; {
	case k&susceptible != 0:
		return &s.susceptible
	case k&infectious != 0:
		return &s.infectious
	}
	return nil
}

func (s *sweeper) arrive(number uint32) {
	v := &s.visits[number]
	if h := s.of(v); h != nil {
		h.push(present{v.Depart, v.Person, number})
	}
}

// depart lets a visitor leave, who meets all who are still there.
func (s *sweeper) depart(number uint32) {
	v := &s.visits[number]
	switch s.of(v) {
	case &s.susceptible:
		s.susceptible.pop()
		for _, there := range s.infectious {
			s.meet(v, &s.visits[there.visit], v.Depart)
		}
	case &s.infectious:
		s.infectious.pop()
		for _, there := range s.susceptible {
			s.meet(&s.visits[there.visit], v, v.Depart)
		}
	}
}

// meet lets a susceptible and an infectious visitor meet until a time.
func (s *sweeper) meet(v, by *visit, until int32) {
	if !s.touching(v, by) {
		return
	}
	start := max(v.Arrive, by.Arrive)
	p := whole(s.Disease.Propensity(int(v.State), int(by.State), until-start, float64(v.Modifier)))
	if p == 0 {
		return
	}
	x := exposure{
		Propensity: p, Person: v.Person, Count: 1, By: by.Person, Location: s.location, Start: start,
		Day: uint32(s.day),
	}
	race := chance.At(s.Seed, useRace, uint64(v.Person), uint64(s.day)).Of(uint64(by.Person)<<32|uint64(s.location),
		uint64(start))
	x.Race = chance.Exponential(race.Float64(), float64(p))
	s.out(x)
}

// touching draws whether two who meet touch.
func (s *sweeper) touching(v, by *visit) bool {
	switch {
	case s.Loimos && s.Contact != Certain:
		return s.engine.Float64() < s.touches
	case s.touches >= 1:
		return true
	}
	pair := s.stream.Of(uint64(v.Person)<<32|uint64(by.Person), uint64(v.Number)<<32|uint64(by.Number))
	return pair.Float64() < s.touches
}

// present is a visitor who is in the location.
type present struct {
	depart int32
	person uint32
	visit  uint32
}

func (p present) before(o present) bool {
	if p.depart != o.depart {
		return p.depart < o.depart
	}
	return p.person < o.person
}

// heap has those first who leave first. It is kept as std::push_heap and std::pop_heap keep theirs, since Loimos
// draws in its order.
type heap []present

func (h *heap) push(p present) {
	*h = append(*h, p)
	a, at := *h, len(*h)-1
	for at > 0 && p.before(a[(at-1)/2]) {
		a[at] = a[(at-1)/2]
		at = (at - 1) / 2
	}
	a[at] = p
}

// pop takes the first away.
func (h *heap) pop() {
	last := len(*h) - 1
	p := (*h)[last]
	*h = (*h)[:last]
	a, at := *h, 0
	for {
		child := 2*at + 1
		if child >= last {
			break
		}
		if child+1 < last && a[child+1].before(a[child]) {
			child++
		}
		if !a[child].before(p) {
			break
		}
		a[at] = a[child]
		at = child
	}
	if last > 0 {
		a[at] = p
	}
}
