// Package scenario reads the text inputs of a contagion simulation: disease models, interventions, and descriptions of
// the columns of a population's files. The files are textproto, Protocol Buffers as text, in the schema of Loimos, the
// open successor of EpiSimdemics (TRAM, section VI B). Each error is one sentence.
package scenario

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
)

// Disease is the course of a disease in a person: a probabilistic timed transition system. It never changes after it is
// read, so all ranks may share it.
type Disease struct {
	Label            string
	Transmissibility float64 // propensity of a day together, at full susceptibility and infectivity
	Starts           []Start // first states, by age
	States           []State
}

// Start is the first state of persons of some ages.
type Start struct {
	State     int
	Low, High int // years, inclusive
}

// State is a state of the disease.
type State struct {
	Label          string
	Infectivity    float64 // 0 if persons in this state infect no one
	Susceptibility float64 // 0 if persons in this state cannot be infected
	Symptomatic    bool
	Timed          []Transition // spontaneous transitions: their probabilities sum up to 1; none if it lasts
	Exposure       []Transition // immediate transitions after an infection
}

// Transition is a way out of a state.
type Transition struct {
	Next        int
	Probability float64
	Dwell       Dwell // of a timed transition: time in the state before it
}

// Forever is the length, in seconds, of a state that never ends.
const Forever = math.MaxInt32

// susceptible and infectious are the conditions of Loimos on a state.
func (s State) susceptible() bool { return s.Susceptibility != 0 }
func (s State) infectious() bool  { return s.Infectivity != 0 }

// Susceptible reports whether persons in a state can be infected.
func (d *Disease) Susceptible(state int) bool { return d.States[state].susceptible() }

// Infectious reports whether persons in a state infect others; they must not be susceptible.
func (d *Disease) Infectious(state int) bool {
	return d.States[state].infectious() && !d.States[state].susceptible()
}

// Propensity returns the propensity of an infection of a person in state susceptible by one in state infectious, for a
// number of seconds together. The probability of no infection is exp(-propensity).
func (d *Disease) Propensity(susceptible, infectious int, seconds int32, modifier float64) float64 {
	p := d.Transmissibility * float64(seconds) * modifier
	return p * d.States[susceptible].Susceptibility * d.States[infectious].Infectivity / Day
}

// Start returns the first state of a person of an age. With one state for all, the age may be unknown.
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

// Leave draws the end of a state just entered: the next state, and the number of seconds until then.
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

// choose draws by the probabilities. It adds them up as Loimos does: in numbers of 32 bits.
func choose(ways []Transition, s chance.Source) Transition {
	cut, sum := s.Float32(), float32(0)
	for _, t := range ways {
		if sum = float32(float64(sum) + t.Probability); cut <= sum {
			return t
		}
	}
	return ways[len(ways)-1] // the sum is a little below 1
}

// Dwell is the distribution of the length of a state. Times are in seconds.
type Dwell struct {
	Kind   DwellKind
	A, B   float64 // fixed: the time; uniform: least and most; normal: mean and standard deviation
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
	Normal // the deviation is tvariance in files, as in Loimos
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

// textDwell is the part of a transition with the length of its state. One field is set.
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

// dwell checks a time of a file.
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

// closeTo is the tolerance of sums of probabilities: files round them.
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

// Example returns a disease that resembles influenza, for examples and tests. Its numbers are not fitted to data.
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
