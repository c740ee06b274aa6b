package scenario

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
)

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
