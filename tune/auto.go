package tune

import (
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

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
	// within an epoch: windows can be cut short, only the factor is open
	Within bool
	Known  bool // Start was found by experiments, such as those of a profile
}

// Auto makes the tuner of a job that tunes itself. It starts with what the model predicts to be best, when it is given
// the parameters of the machine, and otherwise, or where that is known to be good, with what the job has.
func Auto(s Site, p *model.Parameters) (*Tuner, error) {
	c := Config{Start: s.Start, Space: s.space(), Whole: !s.Within, Known: s.Known}
	if s.Within {
		c.Share = shareDefault / 2 // what a change itself costs is in no window
	}
	if p != nil {
		const steady = 1 << 16 // pebbles to each other rank in an epoch: enough for every buffer to fill many times
		c.Predict = Predictor(*p, model.Job{
			Ranks: s.Ranks, Layout: model.Layout{PerProcess: (s.Ranks + s.Processes - 1) / s.Processes},
			Pebbles: float64(steady * s.Ranks), Bytes: max(s.PebbleBytes, 1), Even: true, // which is quick to work out
		})
		if !s.Within && !s.Known {
			c.Start = c.Best()
		}
	}
	return New(c)
}

// space is what may be chosen: topologies and factors whose buffers, all filling at once, leave most of the memory to
// others.
func (s Site) space() (c Space) {
	const part = 8 // of the memory, for buffers
	all, bytes := SpaceFor(s.Ranks, max(s.PebbleBytes, 1), s.Cache), max(s.PebbleBytes, 1)
	room := int(min(s.Room/part, 1<<40)) / bytes // pebbles
	most := max(neighbours(s.Start.Topology, s.Ranks), 1)
	for _, name := range all.Topologies {
		n := neighbours(name, s.Ranks)
		if s.Topology && n > 0 && n*s.Start.Coalesce <= room && (s.Holds == nil || s.Holds(name)) {
			c.Topologies, most = append(c.Topologies, name), max(most, n)
		}
	}
	for _, factor := range all.Coalesce {
		if s.Coalesce && factor*most <= room {
			c.Coalesce = append(c.Coalesce, factor)
		}
	}
	for _, entries := range all.Cache {
		if s.Cache && int64(entries*(bytes+8)) <= s.Room/part {
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
