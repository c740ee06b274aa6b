package tune

import (
	"cmp"
	"math"
	"slices"
)

// search proposes changes, one after the other. It knows nothing of windows.
type search struct {
	config *Config
	now    Setting // in force
	phases []string
	phase  string
	climb  *climb    // of the phase coalesce
	list   []Setting // of the others
	moved  bool      // the topology has changed since factors were searched
}

// newSearch goes through all phases from a setting.
func newSearch(c *Config, now Setting) *search {
	s := &search{config: c, now: now, phases: []string{"model", "coalesce", "cache", "topology", "coalesce"}}
	s.advance()
	return s
}

// next is the setting to try; false when nothing is left.
func (s *search) next() (Setting, bool) {
	for s.phase != "" {
		if to, ok := s.propose(); ok && to != s.now {
			return to, true
		} else if !ok {
			s.advance()
		} else {
			s.tried(to, false)
		}
	}
	return Setting{}, false
}

func (s *search) propose() (to Setting, ok bool) {
	if s.climb == nil {
		if len(s.list) == 0 {
			return to, false
		}
		return s.list[0], true
	}
	place, ok := s.climb.next()
	if !ok {
		return to, false
	}
	to = s.now
	to.Coalesce = s.config.Space.Coalesce[place]
	return to, true
}

// tried takes the result of the setting that next has proposed.
func (s *search) tried(to Setting, better bool) {
	if s.climb != nil {
		s.climb.tried(slices.Index(s.config.Space.Coalesce, to.Coalesce), better)
	} else {
		s.list = s.list[1:]
	}
	if better {
		s.moved = s.moved || to.Topology != s.now.Topology
		s.now = to
	}
}

// advance begins the next phase.
func (s *search) advance() {
	s.climb, s.list, s.phase = nil, nil, ""
	if len(s.phases) == 0 {
		return
	}
	s.phase, s.phases = s.phases[0], s.phases[1:]
	switch space := s.config.Space; s.phase {
	case "model":
		s.list = s.proposals()
	case "coalesce":
		if len(s.phases) > 0 || s.moved { // the second time only when the first has been for another topology
			s.climb = newClimb(slices.Index(space.Coalesce, s.now.Coalesce), len(space.Coalesce), s.upwards())
		}
	case "cache":
		s.list = s.caches()
	case "topology":
		s.moved = false
		s.list = s.topologies()
	}
}

// proposals is what the model would choose, when it expects that to be worth a trial.
func (s *search) proposals() []Setting {
	best := s.now
	for _, topology := range s.config.Space.Topologies {
		if c := s.bestFactor(topology); s.config.Predict(c) < s.config.Predict(best) {
			best = c
		}
	}
	if s.config.Predict(best) < (1-hysteresis)*s.config.Predict(s.now) {
		return []Setting{best}
	}
	return nil
}

// upwards reports whether the model expects larger buffers to be better.
func (s *search) upwards() bool {
	space := s.config.Space.Coalesce
	at := slices.Index(space, s.now.Coalesce)
	larger, smaller := s.now, s.now
	larger.Coalesce, smaller.Coalesce = space[min(at+2, len(space)-1)], space[max(at-2, 0)]
	return s.config.Predict(larger) <= s.config.Predict(smaller)
}

// caches are the other sizes. A cache may cost more than it saves up to a size and pay beyond it, so that no one stands
// for others.
func (s *search) caches() (all []Setting) {
	for _, entries := range s.config.Space.Cache {
		if entries != s.now.Cache {
			to := s.now
			to.Cache = entries
			all = append(all, to)
		}
	}
	return all
}

// hopeless is how many times as long as the setting in force the model may expect a topology to take before it is not
// tried.
const hopeless = 3

// topologies are the others, the one that the model likes best first, each with a factor that suits it.
func (s *search) topologies() (all []Setting) {
	for _, topology := range s.config.Space.Topologies {
		if topology == s.now.Topology {
			continue
		}
		if c := s.bestFactor(topology); s.config.Predict(c) < hopeless*s.config.Predict(s.now) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Setting) int { return cmp.Compare(s.config.Predict(a), s.config.Predict(b)) })
	return all
}

// bestFactor is the setting in force on another topology, with the factor that the model likes best there. Where that
// makes no difference to speak of, the factor stays.
func (s *search) bestFactor(topology string) Setting {
	best := s.now
	best.Topology = topology
	least := s.config.Predict(best)
	for _, factor := range s.config.Space.Coalesce {
		c := best
		c.Coalesce = factor
		if p := s.config.Predict(c); p < (1-hysteresis)*least {
			best, least = c, p
		}
	}
	if math.IsInf(least, 1) {
		best.Coalesce = s.now.Coalesce
	}
	return best
}
