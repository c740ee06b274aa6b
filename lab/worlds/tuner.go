package worlds

import (
	"math/rand/v2"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/tune"
)

// randomTuner is a tuner that draws a setting for each window.
type randomTuner struct {
	drawn
	site tune.Site
	next tune.Setting
}

// tuning returns the tuning of the settings in w.Tune, or nil for none.
func (w World) tuning() *pebble.Tuning {
	if w.Tune == 0 {
		return nil
	}
	const window = 40 // nanoseconds: worlds are short
	return &pebble.Tuning{
		Topology: w.Tune&1 != 0, Coalesce: w.Tune&2 != 0, Cache: w.Tune&4 != 0, Window: window,
		New: func(s tune.Site) (pebble.Tuner, error) {
			t := &randomTuner{drawn: drawn{rand.New(rand.NewPCG(w.Seed, 0x72657374))}, site: s, next: s.Start}
			t.Observe(tune.Window{})
			return t, nil
		},
	}
}

const randomCacheMax = 300 // entries at most

// Next implements pebble.Tuner.
func (t *randomTuner) Next() tune.Setting { return t.next }

// Observe implements pebble.Tuner.
func (t *randomTuner) Observe(tune.Window) {
	s := &t.next
	if name := one(t.drawn, "direct", "hypercube", "mesh:2", "mesh:3", "ring", t.site.Start.Topology); t.site.Topology &&
		(name == t.site.Start.Topology || t.site.Holds(name)) {
		s.Topology = name
	}
	if t.site.Coalesce {
		s.Coalesce = one(t.drawn, 1, 2, 3, 7, 16, 64, 1024)
	}
	if t.site.Cache {
		s.Cache = one(t.drawn, 0, 1, 2, 16, randomCacheMax)
	}
}
