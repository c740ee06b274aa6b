package scenario

import (
	"errors"
	"fmt"
	"math"
)

// Intervention is a measure against a disease while its trigger is on.
type Intervention struct {
	Kind       InterventionKind
	Compliance float64 // share of the persons, or of the locations, that comply; drawn once
	Trigger    Trigger
	// For a Vaccination: the daily probability of a person's vaccination, and the share of the susceptibility left
	// afterwards.
	Probability, Susceptibility float64
	// Closed is the kind of locations that a Closure closes: a boolean column of the locations' file.
	Closed string
}

// InterventionKind is the kind of an intervention.
type InterventionKind uint8

// The kinds of interventions.
const (
	Isolation   InterventionKind = iota // persons with symptoms visit no location
	Vaccination                         // persons become less susceptible
	Closure                             // locations admit no one
)

// OfLocations reports whether locations comply with an intervention, not persons.
func (i Intervention) OfLocations() bool { return i.Kind == Closure }

// Trigger is the condition of an intervention: by the day, or by the new infections of the day before.
type Trigger struct {
	ByCases bool
	On, Off float64 // day, Off 0 for never; or share of the people, Off below On
}

// Next reports whether the trigger is on, on a day. was is its state on the day before, and share the share of the
// people infected then.
func (t Trigger) Next(was bool, day int, share float64) bool {
	if !t.ByCases {
		return float64(day) >= t.On && (t.Off == 0 || float64(day) < t.Off)
	}
	if was {
		return share >= t.Off
	}
	return share >= t.On
}

// textInterventions is InterventionModel of Loimos.
type textInterventions struct {
	Triggers           []textTrigger      `text:"triggers"`
	Persons            []textIntervention `text:"person_interventions"`
	Locations          []textIntervention `text:"location_interventions"`
	PersonAttributes   []textField        `text:"person_attributes"`
	LocationAttributes []textField        `text:"location_attributes"`
}

type textTrigger struct {
	Cases *textCases `text:"new_daily_cases"`
	Day   *textDays  `text:"day"`
}

type textCases struct {
	On  float64 `text:"trigger_on"`
	Off float64 `text:"trigger_off"`
}

type textDays struct {
	On  int32 `text:"trigger_on"`
	Off int32 `text:"trigger_off"`
}

type textIntervention struct {
	Compliance  float64          `text:"compliance"`
	Trigger     int32            `text:"trigger_index"`
	Isolation   *textNothing     `text:"self_isolation"`
	Schools     *textNothing     `text:"school_closures"`
	Vaccination *textVaccination `text:"vaccination"`
	Closure     *textClosure     `text:"closure"` // ours: Loimos only closes schools
}

type textVaccination struct {
	Probability    float64 `text:"probability"`
	Susceptibility float64 `text:"vaccinated_susceptibility"`
}

type textClosure struct {
	Kind string `text:"kind"`
}

// interventionsMost is the limit of interventions of persons, and of locations: each has a bit of a mask.
const interventionsMost = 16

// ReadInterventions reads the interventions against a disease. Those of persons come first.
func ReadInterventions(text []byte) (all []Intervention, err error) {
	var t textInterventions
	if err := unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("interventions: %w", err)
	}
	if len(t.Persons) > interventionsMost || len(t.Locations) > interventionsMost {
		return nil, fmt.Errorf("interventions: %d of persons and %d of locations: give up to %d of each",
			len(t.Persons),
			len(t.Locations), interventionsMost)
	}
	for i, x := range append(t.Persons, t.Locations...) {
		intervention, err := x.intervention(t.Triggers)
		if err != nil {
			return nil, fmt.Errorf("interventions: %w", err)
		}
		if ofLocations := i >= len(t.Persons); ofLocations != intervention.OfLocations() {
			return nil, errors.New("interventions: closures are location_interventions, others person_interventions")
		}
		all = append(all, intervention)
	}
	return all, nil
}

func (t textIntervention) intervention(triggers []textTrigger) (i Intervention, err error) {
	if err := oneOf("an intervention", "self_isolation, school_closures, vaccination and closure", t.Isolation != nil,
		t.Schools != nil,
		t.Vaccination != nil, t.Closure != nil); err != nil {
		return i, err
	}
	if t.Trigger < 0 || int(t.Trigger) >= len(triggers) {
		return i, fmt.Errorf("there is no trigger %d: there are %d", t.Trigger, len(triggers))
	}
	i.Compliance = t.Compliance
	switch {
	case t.Schools != nil:
		i.Kind, i.Closed = Closure, "school"
	case t.Closure != nil:
		i.Kind, i.Closed = Closure, t.Closure.Kind
	case t.Vaccination != nil:
		i.Kind, i.Probability, i.Susceptibility = Vaccination, t.Vaccination.Probability, t.Vaccination.Susceptibility
	}
	for _, share := range []float64{i.Compliance, i.Probability, i.Susceptibility} {
		if !(share >= 0 && share <= 1) {
			return i, fmt.Errorf("a compliance, probability or vaccinated_susceptibility of %v: give 0 to 1", share)
		}
	}
	i.Trigger, err = triggers[t.Trigger].trigger()
	return i, err
}

func (t textTrigger) trigger() (Trigger, error) {
	if err := oneOf("a trigger", "new_daily_cases and day", t.Cases != nil, t.Day != nil); err != nil {
		return Trigger{}, err
	}
	if t.Day != nil {
		if t.Day.Off != 0 && t.Day.Off <= t.Day.On || t.Day.On < 0 {
			return Trigger{}, fmt.Errorf("a trigger is on from day %d to day %d: give days of 0 or more, in order",
				t.Day.On, t.Day.Off)
		}
		return Trigger{On: float64(t.Day.On), Off: float64(t.Day.Off)}, nil
	}
	if !(t.Cases.On >= t.Cases.Off && t.Cases.Off >= 0 && t.Cases.On <= math.MaxFloat64) {
		return Trigger{}, fmt.Errorf("a trigger is on from a share of %v new cases to one of %v: give 0 or more, and not "+
			"more for its end", t.Cases.On, t.Cases.Off)
	}
	return Trigger{true, t.Cases.On, t.Cases.Off}, nil
}
