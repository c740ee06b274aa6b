package tune

import (
	"cmp"
	"math"
	"slices"
)

// search proposes changes, one after the other. It knows nothing of windows.
type search struct {
	config *Config
	now    Setting   // in force
	phases []string  // left; the first is the current one
	list   []Setting // candidates of the current one
	seen   map[Setting]bool
	moved  bool // the topology has changed
}

func newSearch(c *Config, now Setting) *search {
	return &search{
		config: c, now: now, phases: []string{"model", "coalesce", "cache", "topology", "coalesce"},
		list: []Setting{c.best(now)}, seen: map[Setting]bool{now: true},
	}
}

// next is the setting to try; false when nothing is left.
func (s *search) next() (Setting, bool) {
	for {
		for _, to := range s.list {
			if !s.seen[to] {
				return to, true
			}
		}
		if len(s.phases) < 2 {
			s.phases = nil
			return Setting{}, false
		}
		s.phases = s.phases[1:]
		switch s.phases[0] {
		case "coalesce":
			s.list = nil
			if len(s.phases) > 1 || s.moved { // the second time only for another topology
				s.list = s.factors()
			}
		case "cache":
			s.list = s.caches()
		case "topology":
			s.list = s.topologies()
		}
	}
}

// tried takes the result of the setting that next has proposed.
func (s *search) tried(to Setting, better bool) {
	s.seen[to] = true
	if !better {
		return
	}
	s.moved = s.moved || to.Topology != s.now.Topology
	if s.now = to; s.phases[0] == "coalesce" {
		s.list = s.factors()
	}
}

// factors are those two places away and then one place away. Where the best is a single hill, it is found in half as
// many steps as it is places away, and four more.
func (s *search) factors() (all []Setting) {
	space := s.config.Space.Coalesce
	at := slices.Index(space, s.now.Coalesce)
	for _, place := range []int{at + 2, at - 2, at + 1, at - 1} {
		if place >= 0 && place < len(space) {
			to := s.now
			to.Coalesce = space[place]
			all = append(all, to)
		}
	}
	return all
}

// caches are all sizes. A cache may cost more than it saves up to a size and pay beyond it, so that no size stands for
// others.
func (s *search) caches() (all []Setting) {
	for _, entries := range s.config.Space.Cache {
		to := s.now
		to.Cache = entries
		all = append(all, to)
	}
	return all
}

// topologies are the others with the factors that the model predicts to be best there, in the order of the predicted
// times, without those that are predicted to be hopeless times slower.
func (s *search) topologies() (all []Setting) {
	const hopeless = 3
	for _, topology := range s.config.Space.Topologies {
		c := s.config.predicted(s.now, topology)
		if topology != s.now.Topology && s.config.Predict(c) < hopeless*s.config.Predict(s.now) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Setting) int { return cmp.Compare(s.config.Predict(a), s.config.Predict(b)) })
	return all
}

// predicted is a setting on another topology, with the factor that is predicted to be best there. Where factors hardly
// differ, it stays.
func (c *Config) predicted(best Setting, topology string) Setting {
	best.Topology = topology
	least := c.Predict(best)
	for to, factor := best, 0; factor < len(c.Space.Coalesce); factor++ {
		to.Coalesce = c.Space.Coalesce[factor]
		if p := c.Predict(to); p < (1-hysteresis)*least {
			best, least = to, p
		}
	}
	return best
}

// Best is the setting of the space with the least predicted time, or the start where none is much better. A cache is
// left as it is: what it merges only a run can show.
func (c Config) Best() Setting {
	c, err := c.complete()
	if err != nil {
		return c.Start
	}
	return c.best(c.Start)
}

func (c *Config) best(now Setting) Setting {
	best, least := now, (1-hysteresis)*c.Predict(now)
	for _, topology := range c.Space.Topologies {
		to := c.predicted(now, topology)
		if p := c.Predict(to); p < least && !math.IsInf(least, 1) { // where the model knows the topology in force
			best, least = to, p
		}
	}
	return best
}
