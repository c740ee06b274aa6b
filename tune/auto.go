package tune

import (
	"math"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// Site is what a job knows of itself when its tuning begins.
type Site struct {
	Ranks     int
	Processes int
	Transport string
	// Start is what the job has now. What it has for the topology need not be a name that route.ByName takes.
	Start Setting
	// Topology, Coalesce and Cache say what may be changed. A cache may only when some target has a reduction.
	Topology, Coalesce, Cache bool
	PebbleBytes               int                        // of the largest plain pebble; 0 when all are coded
	Room                      int64                      // bytes that buffers, queues and caches of a rank may take: its memory limit
	Holds                     func(topology string) bool // whether the job's epochs can end with it; nil: with all
	Within                    bool                       // within an epoch, where windows can be cut short, and the factor alone is open
	Known                     bool                       // Start was found by experiments, such as those of a profile
}

// Auto makes the tuner of a job that tunes itself. It starts with what the model predicts to be best, when it is given
// the parameters of the machine, and otherwise, or where that is known to be good, with what the job has.
func Auto(s Site, p *model.Parameters) (*Tuner, error) {
	c := Config{Start: s.Start, Space: s.space(), Whole: !s.Within, Known: s.Known}
	if s.Within {
		c.Share = shareDefault / 2 // what a change itself costs is in no window
	}
	if p != nil {
		c.Predict = Predictor(*p, s.work())
		if !s.Within && !s.Known {
			c.Start = c.Best()
		}
	}
	return New(c)
}

// steady is how many pebbles a rank is taken to send to each other one in an epoch: enough for every buffer to fill
// many times.
const steady = 1 << 16

// work is the job as the model takes it.
func (s Site) work() model.Job {
	return model.Job{
		Ranks: s.Ranks, Layout: model.Layout{PerProcess: (s.Ranks + s.Processes - 1) / s.Processes},
		Pebbles: float64(steady * s.Ranks), Bytes: max(s.PebbleBytes, 1), Even: true, // which is quick to work out
	}
}

// Best is the setting of the space with the least predicted time, or the start where none is much better. A cache is
// left as it is: what it merges only a run can show.
func (c Config) Best() Setting {
	c, err := c.Complete()
	if err != nil || math.IsInf(c.Predict(c.Start), 1) { // a topology that the model does not know
		return c.Start
	}
	for _, to := range newSearch(&c, c.Start).proposals() {
		return to
	}
	return c.Start
}

// part of a rank's memory limit that buffers which fill may take.
const part = 8

// space is what may be chosen: topologies and factors whose buffers, all filling at once, leave most of the memory to
// others.
func (s Site) space() (c Space) {
	all := SpaceFor(s.Ranks, max(s.PebbleBytes, 1), s.Cache)
	room := int(min(s.Room/part, 1<<40)) / max(s.PebbleBytes, 1) // pebbles
	if s.Topology {
		for _, name := range all.Topologies {
			if lanes := lanes(name, s.Ranks); lanes > 0 && lanes*s.Start.Coalesce <= room && (s.Holds == nil || s.Holds(name)) {
				c.Topologies = append(c.Topologies, name)
			}
		}
	}
	most := 0
	for _, name := range with(c.Topologies, s.Start.Topology) {
		most = max(most, lanes(name, s.Ranks))
	}
	if s.Coalesce {
		for _, factor := range all.Coalesce {
			if factor*max(most, 1) <= room {
				c.Coalesce = append(c.Coalesce, factor)
			}
		}
	}
	if s.Cache {
		for _, entries := range all.Cache {
			if int64(entries*(max(s.PebbleBytes, 1)+8)) <= s.Room/part {
				c.Cache = append(c.Cache, entries)
			}
		}
	}
	return c
}

// lanes is how many neighbours rank 0 has, which stands for all; 0 when the name is a program's own.
func lanes(topology string, ranks int) int {
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
