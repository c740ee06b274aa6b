package main

import (
	"log/slog"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/tune"
)

// start is the topology that the job begins with.
func (s *settings) start() (route.Constructor, error) {
	if !s.autos().Topology {
		return route.ByName(s.text("topology"))
	}
	if s.known != nil {
		return route.ByName(s.known.Topology)
	}
	return route.Direct, nil
}

// knows reports whether a setting equals the profile's, in all that is auto.
func (s *settings) knows(now tune.Setting) bool {
	auto := s.autos()
	return s.known != nil && (!auto.Topology || now.Topology == s.known.Topology) &&
		(!auto.Coalesce || now.Coalesce == s.known.Coalesce) && (!auto.Cache || now.Cache == s.known.Cache)
}

// tuning is the tuner's configuration; nil when no flag is auto. The job begins with the profile's setting, or else
// with the one that the model predicts to be best, when pebbles fit has measured this machine.
func (s *settings) tuning(log *slog.Logger) *pebble.Tuning {
	auto := s.autos()
	if auto == (autos{}) {
		return nil
	}
	return &pebble.Tuning{
		Topology: auto.Topology, Coalesce: auto.Coalesce, Cache: auto.Cache,
		New: func(site tune.Site) (pebble.Tuner, error) {
			site.Known = s.knows(site.Start)
			t, err := tune.Auto(site, s.machine(site, log))
			if err == nil {
				log.Info("tuning begins", "setting", t.Setting().String())
			}
			return t, err
		},
	}
}

// machine returns the model's parameters for this machine; nil when there are none.
func (s *settings) machine(site tune.Site, log *slog.Logger) *model.Parameters {
	p, _, err := parametersOf(s.parameters)
	if err != nil {
		log.Info("tuning without a model", "why", err)
		return nil
	}
	if site.Transport == connect.ByTCP {
		p = p.Over(model.Network)
	}
	return &p
}
