package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/contagion"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// sending is a way to send visits, as compared in TRAM's paper (section VI B).
type sending struct {
	name     string
	send     contagion.Send
	topology string
	coalesce int
}

// The paper's three ways, with its buffers of 64 items.
var (
	routed     = sending{"aggregated, 6D", contagion.Aggregated, "mesh:6", itemsTable3}
	manually   = sending{"manual buffering", contagion.Manual, "direct", itemsTable3}
	separately = sending{"a message a visit", contagion.Aggregated, "direct", 1}
)

// epidemic runs a day of a town. Its people and locations are dealt to the ranks in turn.
func (l *simulator) epidemic(s sending, ranks int) outcome {
	people := l.some(100_000, 2000)
	town := must(population.NewTown(population.TownConfig{People: people}))
	config := contagion.Config{
		Disease: scenario.Example(), Population: town, Days: 1, Send: s.send, Bundle: itemsTable3,
		People:    distribution.Cyclic(uint64(people), ranks),
		Locations: distribution.Cyclic(uint64(town.Locations()), ranks),
	}
	return l.run(world{network: sim.Machines["bluegene-q"], ranks: ranks, topology: s.topology, coalesce: s.coalesce},
		program{fmt.Sprintf("contagion, %d people, %s", people, s.send), func(r *pebble.Rank) (apps.Report, error) {
			result, err := contagion.Run(r, config)
			return result.Report, err
		}})
}

// epidemicBy runs a day on more and more ranks, by some ways to send, and draws the milliseconds of each way.
func (l *simulator) epidemicBy(d *drawing, ways []sending) {
	d.axis, d.unit = "ranks", "milliseconds a day"
	names := []string{"ranks"}
	for _, s := range ways {
		names = append(names, s.name+": ms")
		d.curve(s.name)
	}
	t := lab.NewTable(names...)
	for _, ranks := range l.upTo(16, 1024) {
		cells := []any{lab.Grouped(ranks)}
		for i, s := range ways {
			o := l.epidemic(s, ranks)
			d.curves[i].add(float64(ranks), 1e3*o.Seconds)
			cells = append(cells, 1e3*o.Seconds)
		}
		t.Row(cells...)
	}
	d.say("A day of a town of %s people, one rank a node, buffers of %d visits.", lab.Grouped(l.some(100_000, 2000)),
		itemsTable3)
	d.table(t)
}

// epidemicByTopology is figure 7.
func epidemicByTopology(l *simulator, d *drawing) {
	var all []sending
	for _, dims := range []int{2, 3, 6} {
		all = append(all, sending{fmt.Sprintf("%dD", dims), contagion.Aggregated, fmt.Sprintf("mesh:%d", dims),
			itemsTable3})
	}
	l.epidemicBy(d, all)
	for i, ranks := range d.curves[0].at {
		worst, best := slowest(d.curves, i)
		d.say("%s ranks: %s is fastest, and %s takes %s times as long.", lab.Grouped(int(ranks)), best.name, worst.name,
			lab.Digits(worst.is[i]/best.is[i]))
	}
}

// epidemicByWay is figure 8.
func epidemicByWay(l *simulator, d *drawing) {
	l.epidemicBy(d, []sending{routed, manually, separately})
	d.below(d.curves[1], d.curves[0], "ranks")
	last := len(d.curves[0].at) - 1
	for _, i := range []int{0, last} {
		d.say("%s ranks: a message a visit takes %s times as long as aggregated visits, and manual buffering %s times.",
			lab.Grouped(int(d.curves[0].at[i])), lab.Digits(d.curves[2].is[i]/d.curves[0].is[i]),
			lab.Digits(d.curves[1].is[i]/d.curves[0].is[i]))
	}
}

// epidemicOverhead is table III for our simulation: the costs of processing and communication of messages by the model,
// without aggregation and with it, next to the time that the simulated run gained.
func epidemicOverhead(l *simulator, d *drawing) {
	t := lab.NewTable("ranks", "processing without: ms", "with", "communication without: ms", "with",
		"observed improvement: ms", "observed time with: ms")
	for _, ranks := range l.upTo(16, 1024) {
		cells := []any{lab.Grouped(ranks)}
		var took [2]float64
		var processing, communication [2]any
		for i, s := range []sending{separately, routed} {
			o := l.epidemic(s, ranks)
			took[i] = 1e3 * o.Seconds
			topology := must(route.ByName(s.topology))
			p := must(model.BlueGeneQ.Predict(model.Job{
				Ranks: ranks, Layout: model.Layout{PerProcess: 1, PerHost: 1}, Topology: topology, Coalesce: s.coalesce,
				Pebbles: o.perRank(o.Counters.PebblesSent), Bytes: visitBytes, Depth: 1, Detector: "skr",
			}))
			processing[i], communication[i] = 1e3*(p.Overhead+p.Pebble), 1e3*(p.Gap+p.Byte)
		}
		t.Row(append(cells, processing[0], processing[1], communication[0], communication[1], took[0]-took[1],
			took[1])...)
	}
	d.table(t)
}

// visitBytes is the size of a visit.
const visitBytes = 36
