package tune

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Config says what a tuner may do. One tuner serves a job: rank 0 asks it and sends the others what it has chosen.
type Config struct {
	// Start is the setting that the job would run with if nobody tuned it: the default that what experiments cost is held
	// against.
	Start Setting
	Space Space
	// Predict returns the seconds that the model has for some fixed work with a setting; +Inf for an impossible one. nil:
	// there is no model. Only ratios count. See [Predictor].
	Predict func(Setting) float64
	// Share is how much longer the job may take because of experiments, as part of the time that it would have taken with
	// Start: at every moment, what experiments have lost is at most Share of the time that has passed, and what better
	// settings have gained. 0 is 0.05. Where windows are whole (see Whole) this holds as far as no setting is slower than
	// a tuner expects (see Slowest); after one that was, there are no experiments until it is paid for.
	Share float64
	// Whole says that windows can't be cut short, such as epochs. Otherwise a window ends at the latest after the seconds
	// that its [Trial] allows.
	Whole bool
	// Slowest is how many times as long as the setting in force one that is tried is expected to take at most, for whole
	// windows; where the model expects it to take longer, it is that. 0 is 2.
	Slowest float64
	// Known says that Start was found by experiments, such as those of a profile: the tuner begins settled, and tries
	// something else only once the load has changed.
	Known bool
}

// Space is what a tuner may choose from.
type Space struct {
	Topologies []string // empty: that of Start alone
	Coalesce   []int    // in growing order; empty: that of Start alone
	Cache      []int    // in growing order; empty: that of Start alone
}

// SpaceFor is a space for most jobs: direct, hypercube and meshes of 2 and 3 dimensions, as far as ranks are enough to
// tell them apart, and factors by twos from 16 pebbles to buffers of 256 KiB. Caches are for targets with a reduction:
// they are off, or have 2^10, 2^14 or 2^18 entries.
func SpaceFor(ranks, pebbleBytes int, reduction bool) Space {
	s := Space{Topologies: []string{"direct"}}
	for _, t := range []struct {
		name  string
		ranks int
	}{{"hypercube", 4}, {"mesh:2", 9}, {"mesh:3", 27}} {
		if ranks >= t.ranks {
			s.Topologies = append(s.Topologies, t.name)
		}
	}
	for c := 16; c <= 1<<14 && c*pebbleBytes <= 256<<10 || c == 16; c *= 2 {
		s.Coalesce = append(s.Coalesce, c)
	}
	if reduction {
		s.Cache = []int{0, 1 << 10, 1 << 14, 1 << 18}
	}
	return s
}

const (
	shareDefault   = 0.05
	slowestDefault = 2
)

// Complete fills in the defaults, and returns an error that says what is wrong.
func (c Config) Complete() (Config, error) {
	if err := c.Start.check(); err != nil {
		return c, fmt.Errorf("tune: start with %w", err)
	}
	if c.Share == 0 {
		c.Share = shareDefault
	}
	if c.Slowest == 0 {
		c.Slowest = slowestDefault
	}
	if !(c.Share > 0) || math.IsInf(c.Share, 1) {
		return c, fmt.Errorf("tune: experiments may cost %v of the time: give a part above 0, such as 0.05", c.Share)
	}
	if !(c.Slowest > 1) || math.IsInf(c.Slowest, 1) {
		return c, fmt.Errorf("tune: settings are expected to take %v times as long at most: give a number above 1", c.Slowest)
	}
	c.Space.Topologies = with(c.Space.Topologies, c.Start.Topology)
	c.Space.Coalesce = with(c.Space.Coalesce, c.Start.Coalesce)
	c.Space.Cache = with(c.Space.Cache, c.Start.Cache)
	slices.Sort(c.Space.Coalesce)
	slices.Sort(c.Space.Cache)
	if c.Space.Coalesce[0] < 1 || c.Space.Cache[0] < 0 || slices.Contains(c.Space.Topologies, "") {
		return c, errors.New("tune: the space has a topology without a name, a factor below 1 or a cache below 0: leave them out")
	}
	if c.Predict == nil {
		c.Predict = func(Setting) float64 { return 1 }
	}
	return c, nil
}

// with is a list that has a value, once.
func with[T comparable](all []T, value T) []T {
	all = slices.Clone(all)
	if !slices.Contains(all, value) {
		all = append(all, value)
	}
	return all
}
