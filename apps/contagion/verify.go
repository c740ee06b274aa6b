package contagion

import (
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// verify sums the counts of all ranks, and adds the errors to the result.
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

// collect sets the fields of the result.
func (b *bench) collect(r *Result) error {
	p := b.part
	all, err := pebble.AllReduce(b.rank, p.totals(), totals.plus)
	if err != nil {
		return err
	}
	curve, err := apps.SumEach(b.rank, slices.Concat(p.curve...))
	if err != nil {
		return err
	}
	r.count(b.config, slices.Collect(slices.Chunk(curve, len(b.config.Disease.States))), all)
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

// astray returns the number of days on which the sum over all states is not the number of people.
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
	return r.Compare(b.rank, r.Twin, func() (uint64, error) {
		c := b.config
		c.List = false
		twin, err := Serial(c)
		return apart(*r, twin), err
	})
}

// apart returns the number of differing results of two runs.
func apart(a, b Result) (n uint64) {
	return apps.Differ(slices.Equal(a.Curve, b.Curve), a.Checksum == b.Checksum, a.Visits == b.Visits,
		a.Refused == b.Refused, a.Exposures == b.Exposures,
		a.Infected == b.Infected, a.Meetings == b.Meetings, a.Contacts == b.Contacts)
}
