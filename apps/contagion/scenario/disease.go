// Package scenario reads what a contagion simulation is told in text: disease models, interventions, and what the
// columns of a population's files are. The files are textproto, Protocol Buffers as text, in the schema of Loimos,
// the open successor of EpiSimdemics (TRAM, section VI B). Mistakes are told in one sentence.
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

// Dwell is how long a state lasts. Times are in seconds.
type Dwell struct {
	Kind   DwellKind
	A, B   float64 // the time that is fixed; least and most of uniform; mean and standard deviation of normal
	Times  []int32 // of discrete
	Shares []float64
}

// DwellKind is a distribution of times.
type DwellKind uint8

// The kinds of dwell times.
const (
	Fixed DwellKind = iota
	Endless
	Uniform
	Normal // its deviation is what files call tvariance, as Loimos takes it
	Discrete
)

// draw draws a time.
func (d *Dwell) draw(s chance.Source) int32 {
	switch d.Kind {
	case Endless:
		return Forever
	case Uniform:
		return int32(float64(s.Float64()*(d.B-d.A)) + d.A)
	case Normal:
		return int32(s.Normal(d.A, d.B))
	case Discrete:
		cut, sum := s.Float32(), float32(0)
		for i, share := range d.Shares {
			if sum = float32(float64(sum) + share); cut < sum {
				return d.Times[i]
			}
		}
		return 0
	}
	return int32(d.A)
}

// textDwell are the parts of a transition of which one says how long its state lasts.
type textDwell struct {
	Uniform *textUniform
	Normal  *textNormal
	Fixed   *textFixed
	Forever *textForever
	Bins    *textDiscrete
}

type textUniform struct {
	Least textTime `text:"tmin"`
	Most  textTime `text:"tmax"`
}

type textNormal struct {
	Mean      textTime `text:"tmean"`
	Deviation textTime `text:"tvariance"`
}

type textFixed struct {
	Time textTime `text:"time_in_state"`
}

type textForever struct{}

type textDiscrete struct {
	Bins []textBin `text:"bins"`
}

type textBin struct {
	Time  textTime `text:"tval"`
	Share float64  `text:"with_prob"`
}

// dwell checks what a file says of a time.
func (t textDwell) dwell(where string) (d Dwell, err error) {
	if err := oneOf(where, "uniform, normal, fixed, forever and discrete", t.Uniform != nil, t.Normal != nil,
		t.Fixed != nil,
		t.Forever != nil, t.Bins != nil); err != nil {
		return d, err
	}
	switch {
	case t.Uniform != nil:
		d = Dwell{Kind: Uniform, A: float64(t.Uniform.Least.seconds()), B: float64(t.Uniform.Most.seconds())}
	case t.Normal != nil:
		d = Dwell{Kind: Normal, A: float64(t.Normal.Mean.seconds()), B: float64(t.Normal.Deviation.seconds())}
	case t.Fixed != nil:
		d = Dwell{Kind: Fixed, A: float64(t.Fixed.Time.seconds())}
	case t.Forever != nil:
		d = Dwell{Kind: Endless}
	default:
		d.Kind = Discrete
		for _, b := range t.Bins.Bins {
			d.Times, d.Shares = append(d.Times, b.Time.seconds()), append(d.Shares, b.Share)
		}
		if err := sumToOne(where+", which lasts by discrete times,", d.Shares); err != nil {
			return d, err
		}
	}
	if d.A < 0 || d.B < 0 || d.Kind == Uniform && d.B < d.A {
		return d, fmt.Errorf("%s lasts for a time below 0, or for most of it below the least: give times of 0 or more",
			where)
	}
	for _, time := range d.Times {
		if time < 0 {
			return d, fmt.Errorf("%s lasts for a time below 0: give times of 0 or more", where)
		}
	}
	return d, nil
}

// closeTo is how far a sum of probabilities may be from 1: files round them.
const closeTo = 1e-4

func sumToOne(where string, probabilities []float64) error {
	sum := 0.0
	for _, p := range probabilities {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("%s has a probability of %v: give 0 to 1", where, p)
		}
		sum += p
	}
	if sum < 1-closeTo || sum > 1+closeTo {
		return fmt.Errorf("%s has probabilities that sum up to %v: make it 1", where, sum)
	}
	return nil
}

// Example is a disease that resembles influenza, for examples and tests: nobody has fitted its numbers to anything.
func Example() *Disease {
	d, err := ReadDisease([]byte(example))
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return d
}

const example = `
label: "example" transmissibility: 2
starting_states: { starting_state: 0 }
disease_states: { state_label: "susceptible" susceptibility: 1 exposure_transition: { transitions: { next_state: 1 } } }
disease_states: { state_label: "exposed" timed_transition: {
	transitions: { next_state: 2 with_prob: 0.6 normal: { tmean: { days: 2 } tvariance: { hours: 12 } } }
	transitions: { next_state: 3 with_prob: 0.4 fixed: { time_in_state: { days: 2 } } }
} }
disease_states: { state_label: "symptomatic" infectivity: 1 symptomatic: true timed_transition: {
	transitions: { next_state: 4 with_prob: 1 discrete: {
		bins: { tval: { days: 3 } with_prob: 0.25 } bins: { tval: { days: 4 } with_prob: 0.5 }
		bins: { tval: { days: 6 } with_prob: 0.25 }
	} }
} }
disease_states: { state_label: "asymptomatic" infectivity: 0.5 timed_transition: {
	transitions: { next_state: 4 with_prob: 1 uniform: { tmin: { days: 2 } tmax: { days: 5 } } }
} }
disease_states: { state_label: "recovered" }
`
