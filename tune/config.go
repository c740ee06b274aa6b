package tune

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// Config has the rules of a tuner.
type Config struct {
	// Start is the setting that the job would run with without tuning: the default against which the cost of
	// experiments is measured.
	Start Setting
	Space Space
	// Predict returns the model's time in seconds of some fixed work with a setting; +Inf for an impossible one. nil:
	// no model. Only ratios count. See [Predictor].
	Predict func(Setting) float64
	// Runs is the number of windows if each is a whole run of the job. The cost of experiments is then unlimited, a
	// small gain suffices to continue from a setting, and the last CheckRuns are for the check. 0: windows of a running
	// job. At every moment its experiments have lost at most 5 % of the elapsed time, provided that none of them loses
	// more than a window takes; after one that did, there are none until it is paid for.
	Runs int
	// Known means that Start was found by experiments, such as those of a profile: the tuner begins settled, and tries
	// other settings only after the load has changed.
	Known bool
}

// Space is the set of settings of a tuner.
type Space struct {
	Topologies []string // empty: that of Start alone
	Coalesce   []int    // in growing order; empty: that of Start alone
	Cache      []int    // in growing order; empty: that of Start alone
}

// complete fills in the defaults, and returns an error if a value is invalid.
func (c Config) complete() (Config, error) {
	if err := c.Start.check(); err != nil {
		return c, fmt.Errorf("tune: start with %w", err)
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

// with returns a list that contains a value, once.
func with[T comparable](all []T, value T) []T {
	if slices.Contains(all, value) {
		return slices.Clone(all)
	}
	return append(slices.Clone(all), value)
}

// best returns the setting on some topologies with the least predicted time, or from if none is much better. It does
// not change the cache: only a run can show its merges.
func (c *Config) best(from Setting, topologies []string) Setting {
	best, to, least := from, from, (1-hysteresis)*c.Predict(from)
	for _, to.Topology = range topologies {
		for _, to.Coalesce = range c.Space.Coalesce {
			if p := c.Predict(to); p < least && !math.IsInf(least, 1) { // only if the model covers from
				best, least = to, p
			}
		}
	}
	return best
}

// Predictor makes a [Config].Predict from the model for a job, with the topology and coalescing factor of its argument.
// It assumes that caches merge nothing, since only a run can show their merges. The function caches the shapes of
// topologies, and belongs to one goroutine.
func Predictor(p model.Parameters, j model.Job) func(Setting) float64 {
	shapes := map[string]*model.Shape{} // nil if the model has none
	return func(s Setting) float64 {
		shape, known := shapes[s.Topology]
		if !known {
			if constructor, err := route.ByName(s.Topology); err == nil {
				if surveyed, err := model.Survey(constructor, j.Ranks, j.Layout); err == nil {
					shape = &surveyed
				}
			}
			shapes[s.Topology] = shape
		}
		if shape == nil {
			return math.Inf(1)
		}
		job := j
		job.Coalesce = s.Coalesce
		r, err := p.PredictOn(*shape, job)
		if err != nil {
			return math.Inf(1)
		}
		return r.Seconds
	}
}

// Site describes a job at the start of its tuning.
type Site struct {
	Ranks     int
	Processes int
	Transport string
	// Start is the job's current setting. Its topology need not be one of route.ByName.
	Start Setting
	// Topology, Coalesce and Cache permit changes. A cache may change only if some target has a reduction.
	Topology, Coalesce, Cache bool
	PebbleBytes               int                        // of the largest plain pebble; 0 if all are coded
	Room                      int64                      // bytes that buffers, queues and caches of a rank may use
	Holds                     func(topology string) bool // whether the job's epochs can end with it; nil: with all
	Known                     bool                       // Start was found by experiments, such as those of a profile
}

// Auto makes the tuner of a job that tunes itself. It starts with the model's best setting, given the parameters of the
// machine. Without them, or if the job's setting is known to be good, it starts with that.
func Auto(s Site, p *model.Parameters) (*Tuner, error) {
	c := Config{Start: s.Start, Space: s.Space(), Known: s.Known}
	if p != nil {
		const steady = 1 << 16 // pebbles to each other rank in an epoch: enough for every buffer to fill many times
		c.Predict = Predictor(*p, model.Job{
			Ranks: s.Ranks, Layout: model.Layout{PerProcess: (s.Ranks + s.Processes - 1) / s.Processes},
			Pebbles: float64(steady * s.Ranks), Bytes: max(s.PebbleBytes, 1), Even: true, // even is quick to compute
		})
		if whole, err := c.complete(); err == nil && !s.Known {
			c.Start = whole.best(c.Start, whole.Space.Topologies)
		}
	}
	return New(c)
}

// Space returns the possible settings: direct, hypercube and meshes of 2 and 3 dimensions, if there are enough ranks
// for them to differ, factors by twos from 16 pebbles to buffers of 256 KiB, and caches of 2^10, 2^14 or 2^18 entries
// or none; of these, topologies and factors whose buffers, all filling at once, take at most an eighth of the room.
func (s Site) Space() (c Space) {
	bytes := max(s.PebbleBytes, 1)
	room := int(min(s.Room/8, 1<<40))
	most := max(neighbours(s.Start.Topology, s.Ranks), 1)
	for _, t := range []struct {
		name  string
		ranks int
	}{{"direct", 0}, {"hypercube", 4}, {"mesh:2", 9}, {"mesh:3", 27}} {
		n := neighbours(t.name, s.Ranks)
		if s.Topology && s.Ranks >= t.ranks && n*s.Start.Coalesce*bytes <= room && (s.Holds == nil || s.Holds(t.name)) {
			c.Topologies, most = append(c.Topologies, t.name), max(most, n)
		}
	}
	for f := 16; s.Coalesce && f <= 1<<14 && (f*bytes <= 256<<10 || f == 16) && f*most*bytes <= room; f *= 2 {
		c.Coalesce = append(c.Coalesce, f)
	}
	for _, entries := range []int{0, 1 << 10, 1 << 14, 1 << 18} {
		if s.Cache && entries*(bytes+8) <= room {
			c.Cache = append(c.Cache, entries)
		}
	}
	return c
}

// neighbours returns the number of neighbours of rank 0, which stands for all; 0 for a name of the program.
func neighbours(topology string, ranks int) int {
	constructor, err := route.ByName(topology)
	if err != nil {
		return 0
	}
	t := constructor(ranks)
	if d, ok := t.(route.Degreed); ok {
		return d.Degree()
	}
	return len(t.Neighbors(0))
}
