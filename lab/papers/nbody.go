package main

import (
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody"
	"github.com/activepebbles/pebbles/apps/nbody/initial"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// requestItems is the number of items in all buffers of a rank (TRAM, section VI A).
const requestItems = 4096

// requestsDue is the longest time of requests in buffers: walks wait for them, and forwarding ranks may be walking.
const requestsDue = 50 * time.Microsecond

// galaxy runs a step of an N-body simulation, with a number of items in a rank's buffers, or a message for each. It
// returns the outcome, and the part of its time spent on gravity.
func (l *simulator) galaxy(topology string, ranks, items int) (o outcome, gravity float64) {
	constructor := must(route.ByName(topology))
	coalesce := max(1, items/len(constructor(ranks).Neighbors(0)))
	system := must(initial.Plummer(initial.Config{Particles: l.some(20_000, 500), Seed: 1}))
	name := fmt.Sprintf("N-body, %d particles, a step", system.Particles())
	o = l.run(world{network: sim.Machines["bluegene-q"], ranks: ranks, topology: topology, coalesce: coalesce,
		due: requestsDue},
		program{name, func(r *pebble.Rank) (apps.Report, error) {
			result, err := nbody.Run(r, nbody.Config{Source: system, Steps: 1, Sample: -1})
			if r.ID() == 0 {
				gravity = result.Gravity
			}
			return result.Report, err
		}})
	return o, gravity
}

// requests is figure 6.
func requests(l *simulator, d *drawing) {
	d.axis, d.unit = "ranks", "milliseconds a step"
	t := lab.NewTable("ranks", "3D: ms a step", "of it gravity", "direct: ms a step", "of it gravity",
		"a message each: ms a step", "of it gravity", "gain by direct, %")
	ways := []struct {
		name, topology string
		items          int
	}{
		{"aggregated, 3D", "mesh:3", requestItems}, {"aggregated, direct", "direct", requestItems},
		{"a message each", "direct", 1},
	}
	for _, w := range ways {
		d.curve(w.name)
	}
	for _, ranks := range l.upTo(8, 64) {
		cells := []any{ranks}
		for i, w := range ways {
			o, gravity := l.galaxy(w.topology, ranks, w.items)
			d.curves[i].add(float64(ranks), 1e3*o.Seconds)
			cells = append(cells, 1e3*o.Seconds, 1e3*gravity)
		}
		last := len(d.curves[0].is) - 1
		t.Row(append(cells, 100*(1-d.curves[1].is[last]/d.curves[2].is[last]))...)
	}
	d.say("A step of %s particles, with forces before and after it; one rank a node, buffers of %s items in all, "+
		"which leave after %v.", lab.Grouped(l.some(20_000, 500)), lab.Grouped(requestItems), requestsDue)
	d.table(t)
}
