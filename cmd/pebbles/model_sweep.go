package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/model"
)

// sweepable are the flags that a sweep of predictions may vary.
var sweepable = []string{"ranks", "topology", "coalesce", "pebbles", "bytes", "per-process", "per-host", "hit", "depth", "termination"}

// sweepOf reads the --sweep flags of a predictor.
func (m *predictor) sweepOf() (sweep, error) {
	may := func(flag string) bool { return slices.Contains(sweepable, flag) }
	return sweepOf(m.sweeps, may, "one of "+strings.Join(sweepable, ", "))
}

// prediction is what came of a point.
type prediction struct {
	Values map[string]string `json:"values,omitempty"` // by axis
	model.Prediction
	Left string `json:"left_out,omitempty"` // why there is no prediction: a topology that can't connect so many ranks
}

// sweep predicts every point. Points that can't be predicted are left out, and printed as such; it is an error if none
// can.
func (m *predictor) sweep(p *model.Parameters, s sweep, flags *pflag.FlagSet) (points []point[prediction], err error) {
	surveys := map[string]model.Shape{}
	whole := 0
	for _, values := range s.points() {
		one := prediction{Values: map[string]string{}}
		for i, a := range s {
			one.Values[a.name] = values[i]
			if err := flags.Lookup(a.name).Value.Set(values[i]); err != nil {
				return nil, fmt.Errorf("--sweep %s=%s: %w", a.name, values[i], err)
			}
		}
		r, fault := m.predict(p, surveys)
		if fault != nil {
			one.Left, err = m.plainly(fault).Error(), fault
		} else {
			one.Prediction = r
			whole++
		}
		points = append(points, point[prediction]{values, one})
	}
	if whole == 0 {
		return nil, err
	}
	return points, nil
}
