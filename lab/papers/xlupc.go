package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/stressmark"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/pebble"
)

// addressCaches are the sizes in figure 8 of XLUPC's paper, and processesMost is its largest number of processes.
var addressCaches = []int{4, 10, 100}

const processesMost = 512

// xlupcRows is the number of rows of a process in Neighborhood: the long distance reaches the next process.
const xlupcRows = 10

// marked is a stressmark of figure 8.
type marked struct {
	name string
	run  func(r *pebble.Rank, l *simulator) (stressmark.Report, error)
}

var marks = []marked{
	{"Pointer, window of 1", func(r *pebble.Rank, l *simulator) (stressmark.Report, error) { return follow(r, l, 1) }},
	{"Pointer, window of 7", func(r *pebble.Rank, l *simulator) (stressmark.Report, error) { return follow(r, l, 7) }},
	{"Neighborhood", func(r *pebble.Rank, _ *simulator) (stressmark.Report, error) {
		result, err := stressmark.Neighborhood(r, stressmark.NeighborhoodConfig{Side: max(64, xlupcRows*r.Size()),
			Short: 1, Long: xlupcRows, Common: apps.Common{Seed: 1}})
		return result.Report, err
	}},
}

func follow(r *pebble.Rank, l *simulator, window int) (stressmark.Report, error) {
	c := stressmark.PointerConfig{Words: 1 << 18, Window: window, Hops: uint64(l.some(500, 100)), Stop: 1,
		Common: apps.Common{Seed: 1}}
	result, err := stressmark.Pointer(r, c)
	return result.Report, err
}

// hitRates is figure 8.
func hitRates(l *simulator, d *drawing) {
	d.axis, d.unit, d.rates = "processes", "percent of hits", true
	titles := []string{"processes", "stressmark"}
	for _, n := range addressCaches {
		titles = append(titles, fmt.Sprintf("cache of %d: %% of hits", n), fmt.Sprintf("min(1, %d/(P−1))", n))
	}
	t := lab.NewTable(titles...)
	curves := map[string]*curve{}
	for _, m := range marks {
		for _, n := range addressCaches {
			name := fmt.Sprintf("%s, cache of %d", m.name, n)
			curves[name] = d.curve(name)
		}
	}
	for _, processes := range l.upTo(2, processesMost) {
		for _, m := range marks {
			cells := []any{processes, m.name}
			for _, n := range addressCaches {
				var last stressmark.Report
				w := odin(processes, way{"direct", "skr"}, 0)
				w.addresses = n
				l.run(w, program{m.name, func(r *pebble.Rank) (apps.Report, error) {
					report, err := m.run(r, l)
					if r.ID() == 0 {
						last = report
					}
					return report.Report, err
				}})
				curves[fmt.Sprintf("%s, cache of %d", m.name, n)].add(float64(processes), 100*last.HitRate)
				cells = append(cells, 100*last.HitRate, 100*min(1, float64(n)/float64(processes-1)))
			}
			t.Row(cells...)
		}
	}
	d.say("A rank a process. Pointer makes %d hops from each, in 2^18 words; Neighborhood has %d rows of the image a "+
		"process, and compares with rows 1 and %d further down. "+
		"The first miss for each address counts.", l.some(500, 100), xlupcRows, xlupcRows)
	d.table(t)
}
