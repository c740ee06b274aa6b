package scenario

import (
	"fmt"
	"math"
)

// textDisease is DiseaseModel of Loimos.
type textDisease struct {
	Label            string      `text:"label"`
	Transmissibility float64     `text:"transmissibility"`
	Starts           []textStart `text:"starting_states"`
	States           []textState `text:"disease_states"`
}

type textStart struct {
	State int32 `text:"starting_state"`
	Lower int32 `text:"lower"`
	Upper int32 `text:"upper"`
}

type textState struct {
	Label          string        `text:"state_label"`
	Infectivity    float64       `text:"infectivity"`
	Susceptibility float64       `text:"susceptibility"`
	Incapacitation float64       `text:"incapacitation"`
	Symptomatic    bool          `text:"symptomatic"`
	Timed          *textTimed    `text:"timed_transition"`
	Exposure       *textExposure `text:"exposure_transition"`
}

type textTimed struct {
	Transitions []textTransition `text:"transitions"`
}

type textTransition struct {
	Next        int32         `text:"next_state"`
	Probability float64       `text:"with_prob"`
	Uniform     *textUniform  `text:"uniform"`
	Normal      *textNormal   `text:"normal"`
	Fixed       *textFixed    `text:"fixed"`
	Forever     *textForever  `text:"forever"`
	Discrete    *textDiscrete `text:"discrete"`
}

type textExposure struct {
	Transitions []textExposed `text:"transitions"`
}

type textExposed struct {
	Next        int32   `text:"next_state"`
	Probability float64 `text:"with_prob"` // Loimos has none, and takes the first transition
}

// ReadDisease reads a disease model.
func ReadDisease(text []byte) (*Disease, error) {
	var t textDisease
	if err := unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("disease model: %w", err)
	}
	d := &Disease{Label: t.Label, Transmissibility: t.Transmissibility}
	if err := d.fill(t); err != nil {
		return nil, fmt.Errorf("disease model: %w", err)
	}
	return d, nil
}

// statesMost is how many states a disease may have: pebbles and persons keep them in 16 bits.
const statesMost = math.MaxUint16

func (d *Disease) fill(t textDisease) error {
	switch {
	case len(t.States) == 0 || len(t.States) > statesMost:
		return fmt.Errorf("it has %d disease_states: give 1 to %d", len(t.States), statesMost)
	case len(t.Starts) == 0:
		return fmt.Errorf("it has no starting_states: say which state persons are in at first")
	case !(t.Transmissibility >= 0 && t.Transmissibility <= math.MaxFloat64):
		return fmt.Errorf("a transmissibility of %v: give a number of 0 or more", t.Transmissibility)
	}
	for _, s := range t.Starts {
		if err := t.known("starting_states", s.State); err != nil {
			return err
		}
		if len(t.Starts) > 1 && (s.Lower < 0 || s.Upper < s.Lower) {
			return fmt.Errorf("starting_states are for ages of %d to %d: give lower, and upper not below it", s.Lower,
				s.Upper)
		}
		d.Starts = append(d.Starts, Start{int(s.State), int(s.Lower), int(s.Upper)})
	}
	labels := map[string]bool{}
	for _, s := range t.States {
		if s.Label == "" || labels[s.Label] {
			return fmt.Errorf("two states are called %q, or one has no state_label: give each a name of its own",
				s.Label)
		}
		labels[s.Label] = true
		state, err := t.state(s)
		if err != nil {
			return err
		}
		d.States = append(d.States, state)
	}
	return nil
}

// known returns an error unless the model has a state.
func (t textDisease) known(where string, state int32) error {
	if state < 0 || int(state) >= len(t.States) {
		return fmt.Errorf("%s: there is no state %d: the model has states 0 to %d", where, state, len(t.States)-1)
	}
	return nil
}

func (t textDisease) state(s textState) (State, error) {
	state, where := State{Label: s.Label, Infectivity: s.Infectivity, Susceptibility: s.Susceptibility,
		Symptomatic: s.Symptomatic},
		fmt.Sprintf("state %q", s.Label)
	for _, x := range []float64{s.Infectivity, s.Susceptibility} {
		if !(x >= 0 && x <= math.MaxFloat64) {
			return state, fmt.Errorf("%s: an infectivity or susceptibility of %v: give a number of 0 or more", where, x)
		}
	}
	if s.Timed != nil && s.Exposure != nil {
		return state, fmt.Errorf("%s has a timed_transition and an exposure_transition: give one", where)
	}
	if s.Timed != nil {
		for _, x := range s.Timed.Transitions {
			if err := t.known(where, x.Next); err != nil {
				return state, err
			}
			dwell, err := textDwell{x.Uniform, x.Normal, x.Fixed, x.Forever, x.Discrete}.dwell(where)
			if err != nil {
				return state, err
			}
			state.Timed = append(state.Timed, Transition{int(x.Next), x.Probability, dwell})
		}
	}
	if s.Exposure != nil {
		for _, x := range s.Exposure.Transitions {
			if err := t.known(where, x.Next); err != nil {
				return state, err
			}
			state.Exposure = append(state.Exposure, Transition{Next: int(x.Next), Probability: x.Probability})
		}
	}
	return state, state.check(where)
}

// check checks the ways out of a state together.
func (s State) check(where string) error {
	if s.susceptible() && len(s.Exposure) == 0 {
		return fmt.Errorf("%s is susceptible, and has no exposure_transition: say where an infection leads", where)
	}
	for _, ways := range [][]Transition{s.Timed, s.Exposure} {
		if len(ways) == 0 || len(ways) == 1 && len(s.Exposure) == 1 { // which needs no probability
			continue
		}
		var all []float64
		for _, w := range ways {
			all = append(all, w.Probability)
		}
		if err := sumToOne(where, all); err != nil {
			return err
		}
	}
	return nil
}
