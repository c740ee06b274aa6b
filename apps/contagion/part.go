package contagion

import (
	"math"
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/contagion/chance"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/distribution"
)

// Uses of random numbers.
const (
	useDecide = 100 + iota // the course of a person's disease on a day
	useComply
	useContact // contacts in a location on a day
	useRace    // the exposure of a person that infects first
	useSeeds
	useVaccine
)

// spot finds the people, or the locations, of a rank. Blocks and cyclic distributions need no calls.
type spot struct {
	spacing
	of   distribution.Indexed
	self int
}

// spacing is n keys, evenly spaced from the first on.
type spacing struct {
	first  uint32
	stride uint32 // 0 if the keys are not evenly spaced
	n      uint64
	magic  uint64 // for division by the stride: 2^63 / stride, rounded up
}

func newSpot(of distribution.Indexed, self int) spot {
	s := spot{of: of, self: self, spacing: spacing{n: uint64(of.LocalLen(self))}}
	switch of.(type) {
	case *distribution.BlockMap:
		s.stride = 1
	case *distribution.CyclicMap:
		s.stride = uint32(of.Ranks())
	}
	if s.stride > 0 && s.n > 0 {
		s.first = uint32(of.Key(self, 0))
		s.magic = (1<<63-1)/uint64(s.stride) + 1
	}
	return s
}

// local returns the local number of a key; ok is false if another rank owns it.
func (s *spot) local(key uint32) (local uint32, ok bool) {
	if s.stride == 0 {
		return s.ask(key)
	}
	return s.even(key)
}

// even is local for evenly spaced keys. Unlike local, it is inlined. A single comparison tells whether a key is one of
// them: half of all keys are not, and no processor could predict which.
func (s spacing) even(key uint32) (local uint32, ok bool) {
	from := key - s.first
	quotient, _ := bits.Mul64(s.magic, uint64(from)<<1) // exact, since strides have at most 31 bits
	rest := from - uint32(quotient)*s.stride
	return uint32(quotient), uint64(rest)<<32|quotient < s.n
}

// ask is local for keys that are not evenly spaced.
func (s *spot) ask(key uint32) (local uint32, ok bool) {
	if s.of.Owner(uint64(key)) != s.self {
		return 0, false
	}
	return uint32(s.of.Local(uint64(key))), true
}

// key returns the key of a local number.
func (s *spot) key(local int) uint32 {
	if s.stride > 0 {
		return s.first + uint32(local)*s.stride
	}
	return uint32(s.of.Key(s.self, local))
}

// part is a rank's part of a simulation: some people and some locations, and their states. The serial twin is a single
// part. A day is visit, meet, decide; take and expose receive the visits and exposures.
type part struct {
	*rules
	peopleAt, locationsAt spot
	people                []person
	places                []place
	visits                store // of today, to locations of this part; Location is their local number
	hot                   []uint32
	order                 []uint32 // visits of hot locations, location by location
	exposures             []exposure
	sweeper               sweeper

	curve      [][]uint64 // people in each state, by day
	infections []Infection
	tally      apps.Tally // of this run
	counts

	itinerary []population.Visit
	counter   chance.Counter
}

// exposed is a sum of exposures.
type exposed struct{ Count, Propensity uint64 }

func (e *exposed) add(x *exposure) {
	e.Count += uint64(x.Count)
	e.Propensity += x.Propensity
}

// person is one of the people. It takes 24 bytes.
type person struct {
	left        int32 // seconds until the state ends
	state, next uint16
	engine      chance.Standard // Loimos's
	modifier    float32         // of the susceptibility
	exposed     uint32          // number of today's exposure in the list, from 1; 0 if there is none
	complies    uint16          // a bit for each intervention of persons
	vaccinated  bool
	seeded      bool // is infected today, whatever its meetings
}

// place is one of the locations.
type place struct {
	brings   carry // union of the bits of today's visitors
	complies uint16
	closed   bool
	engine   chance.Standard // Loimos's
	visits   uint32          // number of today's visits; later the next position in the order
}

func newPart(w *rules, self int) *part {
	p := &part{rules: w, peopleAt: newSpot(w.people, self), locationsAt: newSpot(w.locations, self)}
	p.sweeper.rules = w
	p.people, p.places = make([]person, p.peopleAt.n), make([]place, p.locationsAt.n)
	for i := range p.people {
		p.settle(i)
	}
	for i := range p.places {
		id := p.Population.LocationID(int(p.locationsAt.key(i)))
		l := &p.places[i]
		l.engine = chance.Seeded(w.Seed + uint64(id))
		l.complies = comply(w.ofPlaces, p.source(&l.engine, useComply, uint64(id), 1))
	}
	return p
}

// settle puts a person into the first state.
func (p *part) settle(i int) {
	key := int(p.peopleAt.key(i))
	state, err := p.Disease.Start(p.Population.Age(key))
	if err != nil {
		panic("contagion: " + err.Error()) // Check has looked at all ages
	}
	who := &p.people[i]
	*who = person{left: scenario.Forever, state: uint16(state), next: uint16(state), modifier: 1}
	if p.Loimos {
		who.engine = p.engine(key)
	}
	who.complies = comply(p.ofPersons, p.source(&who.engine, useComply, uint64(key), 0))
}

// comply draws the compliance with each intervention, as bits.
func comply(with []scenario.Intervention, s chance.Source) (bits uint16) {
	for i, x := range with {
		if s.Float64() < x.Compliance {
			bits |= 1 << i
		}
	}
	return bits
}

// source returns the source of random numbers: the engine for Loimos, or otherwise the counter for the use.
func (p *part) source(engine *chance.Standard, use, who, when uint64) chance.Source {
	if p.Loimos {
		return engine
	}
	p.counter = chance.At(p.Seed, use, who, when)
	return &p.counter
}

// visitsMade is the number of visits made before they are sent.
const visitsMade = 512

// visit makes the visits of all people on a day, and passes them to send, some at a time.
func (p *part) visit(day int, send func(vs []visit)) {
	for _, key := range p.seedsOf(day) {
		if local, ok := p.peopleAt.local(key); ok {
			p.people[local].seeded = true
		}
	}
	out, made := make([]visit, visitsMade), 0
	for i := range p.people {
		who := &p.people[i]
		key := p.peopleAt.key(i)
		if p.intervene(who, key, day) {
			continue
		}
		p.itinerary = p.Population.Visits(p.itinerary[:0], int(key), day%p.Population.Days())
		for n := range p.itinerary {
			from, v := &p.itinerary[n], &out[made]
			v.Location, v.Place, v.Arrive, v.Depart = from.Location, from.Place, from.Arrive, from.Depart
			v.Person, v.Day, v.Number = key, uint32(day), uint32(n)
			v.State, v.Modifier = uint32(who.state), who.modifier
			if made++; made == len(out) {
				p.depart(out, send)
				made = 0
			}
		}
	}
	p.depart(out[:made], send)
}

// depart sends visits, and counts those to locations of this part.
func (p *part) depart(vs []visit, send func(vs []visit)) {
	p.made += uint64(len(vs))
	at, stayed := p.locationsAt.spacing, uint64(0)
	for i := range vs {
		_, own := at.even(vs[i].Location)
		if at.stride == 0 {
			_, own = p.locationsAt.ask(vs[i].Location)
		}
		if own {
			stayed++
		}
	}
	p.stayed += stayed
	send(vs)
}

// intervene applies the active interventions to a person, and reports whether the person stays alone today.
func (p *part) intervene(who *person, key uint32, day int) (alone bool) {
	for i, x := range p.ofPersons {
		if !p.on[i] || who.complies>>i&1 == 0 {
			continue
		}
		switch x.Kind {
		case scenario.Isolation:
			alone = alone || p.Disease.States[who.state].Symptomatic
		case scenario.Vaccination:
			if !who.vaccinated && p.source(&who.engine, useVaccine, uint64(key),
				uint64(day)).Float64() < x.Probability {
				who.vaccinated, who.modifier = true, float32(x.Susceptibility)
			}
		}
	}
	return alone
}

// open opens and closes the locations for a day.
func (p *part) open() {
	for i := range p.places {
		l := &p.places[i]
		l.brings, l.visits, l.closed = 0, 0, false
		for j, x := range p.ofPlaces {
			if p.on[len(p.ofPersons)+j] && l.complies>>j&1 != 0 &&
				p.Population.Is(int(p.locationsAt.key(i)), x.Closed) {
				l.closed = true
			}
		}
	}
	p.visits.clear()
}

// take takes visits to locations of this part.
func (p *part) take(vs []visit) {
	for len(vs) > 0 {
		room := p.visits.room()
		n := copy(room, vs)
		p.visits.n += p.admit(room[:n])
		vs = vs[n:]
	}
}

// admit lets visitors into their locations, whose local numbers it stores. It drops the visits of others, and returns
// the number of visits that are left.
func (p *part) admit(vs []visit) (left int) {
	at, places, carries := p.locationsAt.spacing, p.places, p.carries
	for i := range vs {
		v := &vs[i]
		local, ok := at.even(v.Location)
		if at.stride == 0 {
			local, ok = p.locationsAt.ask(v.Location)
		}
		if !ok {
			p.tally.Misplaced++
			continue
		}
		l := &places[local]
		if l.closed {
			p.refused++
			continue
		}
		l.brings |= carries[v.State]
		l.visits++
		if left < i {
			vs[left] = *v
		}
		vs[left].Location = local
		left++
	}
	return left
}

// meet sweeps the locations with possible infections, and passes the exposures to send, some at a time.
func (p *part) meet(day int, send func(xs []exposure)) {
	out := make([]exposure, 0, visitsMade)
	flush := func() {
		for i := range out {
			p.sent.add(&out[i])
		}
		send(out)
		out = out[:0]
	}
	p.sweeper.out = func(x exposure) {
		if out = append(out, x); len(out) == cap(out) {
			flush()
		}
	}
	for i, from := range p.sortHot() {
		l := &p.places[p.hot[i]]
		p.sweeper.visits = p.sweeper.visits[:0]
		for _, v := range p.order[from:l.visits] {
			p.sweeper.visits = append(p.sweeper.visits, *p.visits.at(int(v)))
		}
		p.sweeper.sweep(p.locationsAt.key(int(p.hot[i])), day, &l.engine)
	}
	flush()
}

// sortHot orders the visits of hot locations by location, and returns the beginning of each location's visits.
// place.visits is their end then.
func (p *part) sortHot() (froms []uint32) {
	p.hot = p.hot[:0]
	total := uint32(0)
	for i := range p.places {
		if l := &p.places[i]; l.brings.isHot() {
			p.hot = append(p.hot, uint32(i))
			froms = append(froms, total)
			l.visits, total = total, total+l.visits
		}
	}
	if uint32(cap(p.order)) < total {
		p.order = make([]uint32, total+total/8)
	}
	if p.order = p.order[:total]; total == 0 {
		return nil
	}
	for i := range p.visits.n {
		if l := &p.places[p.visits.at(i).Location]; l.brings.isHot() {
			p.order[l.visits] = uint32(i)
			l.visits++
		}
	}
	return froms
}

// expose takes exposures of people of this part.
func (p *part) expose(xs []exposure) {
	for i := range xs {
		x := &xs[i]
		local, ok := p.peopleAt.local(x.Person)
		if p.tally.Take(x.fingerprint(), ok); !ok {
			continue
		}
		p.got.add(x)
		who := &p.people[local]
		if who.exposed == 0 {
			p.exposures = append(p.exposures, *x)
			who.exposed = uint32(len(p.exposures))
			continue
		}
		p.exposures[who.exposed-1] = merge(p.exposures[who.exposed-1], *x)
	}
}

// decide ends a day: it draws infections, and continues the diseases.
func (p *part) decide(day int) {
	counts := make([]uint64, len(p.Disease.States))
	p.newly = 0
	for i := range p.people {
		who := &p.people[i]
		if p.Loimos || who.exposed != 0 || who.seeded || who.left != scenario.Forever {
			p.live(who, p.peopleAt.key(i), day)
		}
		counts[who.state]++
	}
	p.exposures = p.exposures[:0]
	p.curve = append(p.curve, counts)
}

// live ends a person's day.
func (p *part) live(who *person, key uint32, day int) {
	s := p.source(&who.engine, useDecide, uint64(key), uint64(day))
	if p.caught(who, s) && p.carries[who.state]&susceptible != 0 {
		who.left, who.next = -1, uint16(p.Disease.Infect(int(who.state), s))
		p.newly++
		p.note(who, key, day)
	}
	who.exposed, who.seeded = 0, false
	if who.left == scenario.Forever {
		return
	}
	if who.left -= scenario.Day; who.left <= 0 {
		who.state = who.next
		next, left := p.Disease.Leave(int(who.state), s)
		who.next, who.left = uint16(next), left
	}
}

// caught draws whether a person's exposures lead to an infection.
func (p *part) caught(who *person, s chance.Source) bool {
	propensity := 0.0
	if who.exposed != 0 {
		propensity = float64(p.exposures[who.exposed-1].Propensity) / one
	}
	if who.seeded {
		propensity = math.Inf(1)
	}
	if !p.Loimos && propensity == 0 {
		return false
	}
	if -math.Log(s.Float64())/propensity > 1 {
		return false
	}
	if p.Loimos {
		s.Float64() // Loimos draws the source of the infection by it, in the order of arrival of exposures
	}
	return true
}

// note records an infection.
func (p *part) note(who *person, key uint32, day int) {
	i := Infection{Day: int32(day), Person: p.Population.PersonID(int(key)), By: -1, Location: -1, Start: -1}
	if who.exposed != 0 && !who.seeded {
		x := &p.exposures[who.exposed-1]
		i.By, i.Location, i.Start = p.Population.PersonID(int(x.By)), p.Population.LocationID(int(x.Location)), x.Start
	}
	p.infections = append(p.infections, i)
}
