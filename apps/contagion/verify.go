package contagion

import (
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// verify sums up what all ranks have counted, and adds to the result what is wrong with it.
func (b *bench) verify(r *Result) error {
	if err := b.collect(r); err != nil {
		return err
	}
	count, err := apps.Sum(b.rank, b.part.sent.Count-b.part.got.Count)
	if err != nil {
		return err
	}
	if err := r.FoundOnce(b.rank, min(count, -count),
		"exposures went wrong: they were not taken as they were sent"); err != nil {
		return err
	}
	propensity, err := apps.Sum(b.rank, b.part.sent.Propensity-b.part.got.Propensity)
	if err != nil {
		return err
	}
	if err := r.FoundOnce(b.rank, min(propensity, 1), "sum of all propensities went wrong"); err != nil {
		return err
	}
	if err := r.FoundOnce(b.rank, b.astray(r),
		"days went wrong, on which not all people are in some state"); err != nil {
		return err
	}
	return b.compare(r)
}

// collect fills in the result.
func (b *bench) collect(r *Result) error {
	p := b.part
	all, err := pebble.AllReduce(b.rank, p.totals(), totals.plus)
	if err != nil {
		return err
	}
	curve, err := b.curve()
	if err != nil {
		return err
	}
	r.count(b.config, curve, all)
	r.VisitsPerSecond = apps.Rate(float64(r.Visits), r.Seconds)
	r.Bundles = b.bundles
	if !b.config.List {
		return nil
	}
	of, err := pebble.GatherSlice(b.rank, 0, p.infections)
	if err == nil && b.rank.ID() == 0 {
		r.Infections = slices.Concat(of...)
		sortInfections(r.Infections)
	}
	return err
}

// sumsAtOnce is how many numbers of a curve are added up over all ranks together.
const sumsAtOnce = 64

// curve adds the curves of all ranks up.
func (b *bench) curve() ([][]uint64, error) {
	flat := slices.Concat(b.part.curve...)
	for from := 0; from < len(flat); from += sumsAtOnce {
		var some [sumsAtOnce]uint64
		copy(some[:], flat[from:])
		sums, err := pebble.AllReduce(b.rank, some, func(a, b [sumsAtOnce]uint64) [sumsAtOnce]uint64 {
			for i := range a {
				a[i] += b[i]
			}
			return a
		})
		if err != nil {
			return nil, err
		}
		copy(flat[from:], sums[:])
	}
	return slices.Collect(slices.Chunk(flat, len(b.config.Disease.States))), nil
}

// astray is on how many days the people in all states are not all people.
func (b *bench) astray(r *Result) (days uint64) {
	people := make([]int64, r.Days)
	for _, row := range r.Curve {
		people[row.Day] += row.Total
	}
	for _, n := range people {
		if n != int64(r.People) {
			days++
		}
	}
	return days
}

// compare compares the result with the serial twin's, which rank 0 runs.
func (b *bench) compare(r *Result) error {
	r.Twin = b.config.Twin || uint64(r.People)*uint64(r.Days) <= twinMost
	wrong := uint64(0)
	if r.Twin && b.rank.ID() == 0 {
		c := b.config
		c.List = false
		twin, err := Serial(c)
		if err != nil {
			return err
		}
		wrong = apart(*r, twin)
	}
	return r.Found(b.rank, wrong, "results went wrong: they are not those of the serial twin")
}

// apart is in how many of their results two runs differ.
func apart(a, b Result) (n uint64) {
	for _, same := range []bool{
		slices.Equal(a.Curve, b.Curve), a.Checksum == b.Checksum, a.Visits == b.Visits,
		a.Refused == b.Refused, a.Exposures == b.Exposures,
		a.Infected == b.Infected, a.Meetings == b.Meetings, a.Contacts == b.Contacts,
	} {
		if !same {
			n++
		}
	}
	return n
}
