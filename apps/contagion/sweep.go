package contagion

import (
	"cmp"
	"slices"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
)

// sweeper goes through the visits of a location in order of time, and finds the meetings and their lengths.
type sweeper struct {
	*rules
	visits      []visit // of the location, in any order
	events      []event
	susceptible heap
	infectious  heap
	out         func(x exposure)
	meetings    uint64 // pairs of visits that overlapped
	contacts    uint64 // of these, the mean number of contacts: Loimos's interactions

	location uint32
	day      int
	touches  float64
	engine   *chance.Standard // Loimos's, of the location
	stream   chance.Counter   // ours
}

// event is an arrival or a departure. Its key is the place, then the time, with departures before arrivals: a person
// who arrives when another departs does not meet that one.
type event struct {
	key   uint64
	visit uint32
}

const (
	isArrival  = 1
	timeBits   = 17 // for the seconds of a day
	placeShift = timeBits + 1
)

// sweep goes through s.visits, on a day. engine is the location's engine, the source of Loimos's numbers.
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

// of returns the heap of present visitors in the condition of v; nil if v is irrelevant to others.
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

// depart removes a visitor, who meets all those still present.
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

// meet adds a meeting of a susceptible and an infectious visitor until a time.
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

// touching draws whether two visitors who meet have a contact.
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

// present is a visitor in the location.
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

// heap is a heap by departure. Its order is that of std::push_heap and std::pop_heap, since Loimos draws in that order.
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

// pop removes the first.
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
