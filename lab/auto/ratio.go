package main

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/lab"
)

// ratio is the median of what one setting's times are to another's, run by run, and how far it may be off: the median of so many more
// runs would be nearer in 95 cases of 100, if ratios are distributed normally.
type ratio struct{ median, doubt float64 }

func ratioOf(of, to []float64) ratio {
	all := make([]float64, len(of))
	for i := range of {
		all[i] = of[i] / to[i]
	}
	s := lab.Summarize(all)
	const (
		deviations = 1.96   // that 95 of 100 are within
		ofSpread   = 1.4826 // a deviation, as a multiple of the median distance to the median
		ofMean     = 1.2533 // the deviation of a median, as a multiple of a mean's
	)
	return ratio{s.Median, deviations * ofSpread * ofMean * s.Spread / math.Sqrt(float64(len(all)))}
}

func (r ratio) String() string { return fmt.Sprintf("%.2f ± %.2f", r.median, r.doubt) }
