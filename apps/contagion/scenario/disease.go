package scenario

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
)

// Disease is how a disease goes on in a person: a probabilistic timed transition system. It never changes once it is
// read, so all ranks may share it.
type Disease struct {
	Label            string
	Transmissibility float64 // propensity of a day together, of full susceptibility and infectivity
	Starts           []Start // who is in which state at first, by age
	States           []State
}

// Start is the state that persons of some ages are in at first.
type Start struct {
	State     int
	Low, High int // years, both included
}

// State is a state of the disease.
type State struct {
	Label          string
	Infectivity    float64 // 0 if others can't be infected
	Susceptibility float64 // 0 if who is in it can't be infected
	Symptomatic    bool
	Timed          []Transition // where it leads by itself: their probabilities sum up to 1; none if it lasts
	Exposure       []Transition // where it leads once infected, at once
}

// Transition is a way out of a state.
type Transition struct {
	Next        int
	Probability float64
	Dwell       Dwell // how long the state lasts before it, of a timed one
}

// Forever is how long a state lasts that nothing ends, in seconds.
const Forever = math.MaxInt32

// susceptible and infectious are what Loimos asks of a state.
func (s State) susceptible() bool { return s.Susceptibility != 0 }
func (s State) infectious() bool  { return s.Infectivity != 0 }

// Susceptible reports whether persons in a state can be infected.
func (d *Disease) Susceptible(state int) bool { return d.States[state].susceptible() }

// Infectious reports whether persons in a state, who can't be infected themselves, infect others.
func (d *Disease) Infectious(state int) bool {
	return d.States[state].infectious() && !d.States[state].susceptible()
}

// Propensity is that of who is susceptible to be infected by who is infectious in so many seconds together. The
// chance to escape is exp(-propensity).
func (d *Disease) Propensity(susceptible, infectious int, seconds int32, modifier float64) float64 {
	p := d.Transmissibility * float64(seconds) * modifier
	return p * d.States[susceptible].Susceptibility * d.States[infectious].Infectivity / Day
}

// Start is the state that a person of an age is in at first; with one state for all, the age may be unknown.
func (d *Disease) Start(age int) (state int, err error) {
	if len(d.Starts) == 1 {
		return d.Starts[0].State, nil
	}
	for _, s := range d.Starts {
		if s.Low <= age && age <= s.High {
			return s.State, nil
		}
	}
	if age < 0 {
		return 0, fmt.Errorf("the disease %q starts by age, and the population has no ages", d.Label)
	}
	return 0, fmt.Errorf("the disease %q has no starting state for an age of %d", d.Label, age)
}

// Ages reports whether the starting state depends on the age.
func (d *Disease) Ages() bool { return len(d.Starts) > 1 }

// Leave draws how a state ends that somebody has just entered: in which state, after how many seconds.
func (d *Disease) Leave(state int, s chance.Source) (next int, seconds int32) {
	if ways := d.States[state].Timed; len(ways) > 0 {
		t := choose(ways, s)
		return t.Next, t.Dwell.draw(s)
	}
	return state, Forever
}

// Infect draws the state that an infection leads to.
func (d *Disease) Infect(state int, s chance.Source) (next int) {
	ways := d.States[state].Exposure
	if len(ways) == 1 {
		return ways[0].Next
	}
	return choose(ways, s).Next
}

// choose draws by the probabilities, as Loimos adds them up: in numbers of 32 bits.
func choose(ways []Transition, s chance.Source) Transition {
	cut, sum := s.Float32(), float32(0)
	for _, t := range ways {
		if sum = float32(float64(sum) + t.Probability); cut <= sum {
			return t
		}
	}
	return ways[len(ways)-1] // the sum is a little below 1
}
