package tune

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
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
	// Runs is how many windows there are, where each is a whole run of the job: experiments may cost what they do,
	// little has to be shown to go on from a setting, and the last CheckRuns are for the check. 0: windows of a job
	// that runs. At every moment its experiments have lost at most 5 % of the time that has passed, as far as none of
	// them loses more than a window takes; after one that did, there are none until it is paid for.
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

// complete fills in the defaults, and returns an error that says what is wrong.
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

// with is a list that has a value, once.
func with[T comparable](all []T, value T) []T {
	if slices.Contains(all, value) {
		return slices.Clone(all)
	}
	return append(slices.Clone(all), value)
}

// best is the setting on some topologies with the least predicted time, or the given one where none is much better. A
// cache is left as it is: what it merges only a run can show.
func (c *Config) best(from Setting, topologies []string) Setting {
	best, to, least := from, from, (1-hysteresis)*c.Predict(from)
	for _, to.Topology = range topologies {
		for _, to.Coalesce = range c.Space.Coalesce {
			if p := c.Predict(to); p < least && !math.IsInf(least, 1) { // where the model knows the given one
				best, least = to, p
			}
		}
	}
	return best
}

// Predictor makes a [Config].Predict from the model for a job: its topology and coalescing factor are those of the
// setting that is asked about. Caches are taken to merge nothing, for how much they merge only a run can show. The
// function keeps the shapes of topologies, and belongs to one goroutine.
func Predictor(p model.Parameters, j model.Job) func(Setting) float64 {
	shapes := map[string]*model.Shape{} // nil where the model knows none
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

// Site is what a job knows of itself when its tuning begins.
type Site struct {
	Ranks     int
	Processes int
	Transport string
	// Start is what the job has now. Its topology need not have a name that route.ByName knows.
	Start Setting
	// Topology, Coalesce and Cache say what may be changed. A cache may only when some target has a reduction.
	Topology, Coalesce, Cache bool
	PebbleBytes               int                        // of the largest plain pebble; 0 when all are coded
	Room                      int64                      // bytes that buffers, queues and caches of a rank may use
	Holds                     func(topology string) bool // whether the job's epochs can end with it; nil: with all
	Known                     bool                       // Start was found by experiments, such as those of a profile
}

// Auto makes the tuner of a job that tunes itself. It starts with what the model predicts to be best, when it is given
// the parameters of the machine, and otherwise, or where that is known to be good, with what the job has.
func Auto(s Site, p *model.Parameters) (*Tuner, error) {
	c := Config{Start: s.Start, Space: s.Space(), Known: s.Known}
	if p != nil {
		const steady = 1 << 16 // pebbles to each other rank in an epoch: enough for every buffer to fill many times
		c.Predict = Predictor(*p, model.Job{
			Ranks: s.Ranks, Layout: model.Layout{PerProcess: (s.Ranks + s.Processes - 1) / s.Processes},
			Pebbles: float64(steady * s.Ranks), Bytes: max(s.PebbleBytes, 1), Even: true, // which is quick to work out
		})
		if whole, err := c.complete(); err == nil && !s.Known {
			c.Start = whole.best(c.Start, whole.Space.Topologies)
		}
	}
	return New(c)
}

// Space is what may be chosen: direct, hypercube and meshes of 2 and 3 dimensions, as far as ranks are enough to tell
// them apart, factors by twos from 16 pebbles to buffers of 256 KiB, and caches of 2^10, 2^14 or 2^18 entries or none;
// of these, topologies and factors whose buffers, all filling at once, take an eighth of the room.
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

// neighbours is how many rank 0 has, which stands for all; 0 when the name is a program's own.
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
