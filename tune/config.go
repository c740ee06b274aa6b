package tune

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Config says what a tuner may do.
type Config struct {
	// Start is the setting that the job would run with if nobody tuned it: the default that what experiments cost is
	// held against.
	Start Setting
	Space Space
	// Predict returns the seconds that the model has for some fixed work with a setting; +Inf for an impossible one.
	// nil: there is no model. Only ratios count. See [Predictor].
	Predict func(Setting) float64
	// Share is how much longer the job may take because of experiments, as part of the time that it would have taken
	// with Start: at every moment, what experiments have lost is at most Share of the time that has passed, and what
	// better settings have gained. 0 is 0.05. Where windows are whole this holds as far as no setting takes more than
	// twice as long as the one in force, or as the model predicts; after one that did, there are no experiments until
	// it is paid for.
	Share float64
	Whole bool // windows can't be cut short, such as epochs; others end after the seconds that their Trial allows
	// Runs is how many windows there are, where each is a whole run of the job: experiments may cost what they do,
	// little has to be shown to go on from a setting, and the last CheckRuns are for the check. 0: windows of a job
	// that runs.
	Runs int
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

const shareDefault = 0.05

// complete fills in the defaults, and returns an error that says what is wrong.
func (c Config) complete() (Config, error) {
	if err := c.Start.check(); err != nil {
		return c, fmt.Errorf("tune: start with %w", err)
	}
	if c.Share == 0 {
		c.Share = shareDefault
	}
	if c.Runs > 0 {
		c.Whole, c.Share = true, math.Inf(1)
	}
	if !(c.Share > 0) {
		return c, fmt.Errorf("tune: experiments may cost %v of the time: give a part above 0, such as 0.05", c.Share)
	}
	c.Space.Topologies = with(c.Space.Topologies, c.Start.Topology)
	c.Space.Coalesce = with(c.Space.Coalesce, c.Start.Coalesce)
	c.Space.Cache = with(c.Space.Cache, c.Start.Cache)
	slices.Sort(c.Space.Coalesce)
	slices.Sort(c.Space.Cache)
	if c.Space.Coalesce[0] < 1 || c.Space.Cache[0] < 0 || slices.Contains(c.Space.Topologies, "") {
		return c, errors.New(
			"tune: the space has a topology without a name, a factor below 1 or a cache below 0: leave them out")
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
