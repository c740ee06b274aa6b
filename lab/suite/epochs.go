package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab"
)

// emptyEpochs measure detection alone.
func (o Options) emptyEpochs() lab.Group {
	g := lab.Group{Name: "Empty epochs", Title: "The end of an empty epoch, by detector",
		About: "What the end of an epoch of declared depth 1 costs by itself."}
	for _, ranks := range []int{2, 4, 8} {
		o.detectors(&g, fmt.Sprintf("an empty epoch, %d ranks, direct", ranks),
			fmt.Sprintf("epochs --count %d --ranks %d", o.count(ranks), ranks), "skr", "nbx", "pcx", "ordered")
	}
	for _, p := range o.places(2)[1:] {
		count := o.count(2)
		if p.name == "tcp" {
			count /= 16
		}
		o.detectors(&g, "an empty epoch, 2 processes over "+name(p),
			fmt.Sprintf("epochs --count %d %s", max(1, count), p.flags), "skr", "nbx")
	}
	return g
}

// shortEpochs are like the levels of a search of a road map.
func (o Options) shortEpochs() lab.Group {
	g := lab.Group{Name: "Short epochs", Title: "Epochs of one pebble a rank, by detector",
		About: "Each rank sends one pebble to the rank after it; declared depth 1, in one process."}
	for _, ranks := range []int{8, 64} {
		for _, topology := range []string{"direct", "hypercube"} {
			o.detectors(&g, fmt.Sprintf("an epoch of a pebble a rank, %d ranks, %s", ranks, topology),
				fmt.Sprintf("epochs --pebbles 1 --count %d --ranks %d --topology %s", o.count(ranks), ranks, topology),
				"skr", "nbx", "pcx", "pcx-neighbors", "ordered")
		}
	}
	return g
}

// count returns the number of timed epochs. With more ranks than cores, an epoch's time is quadratic in ranks.
func (o Options) count(ranks int) int { return max(32, o.times(1<<17/(ranks*ranks))) }

// detectors adds a row for each detector, compared with the first.
func (o Options) detectors(g *lab.Group, row, line string, names ...string) {
	for _, detector := range names {
		g.Add(o.run(row+", "+detector, epoch, line+" --termination "+detector, row+", "+names[0]))
	}
}
