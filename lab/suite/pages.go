package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab"
)

// pages are operations of shared pages next to bare accesses, and programs next to their serial twins.
func (o Options) pages() lab.Group {
	g := lab.Group{Name: "Pages", Title: "Shared pages: operations, and programs beside one rank",
		About: "A lock that its home had last, beside one swap of a word; the first read of a page of 4 KiB that " +
			"another rank has written, beside one get of as many bytes; a barrier. Then programs of TreadMarks. " +
			"Over mem and shm the other's pages are used where they lie."}
	first := metric{"microseconds", 1, "µs", true}
	bare := metric{"cases.bare", 1, "µs", true}
	for _, p := range o.places(2) {
		for _, x := range []struct{ name, line string }{
			{"barrier", fmt.Sprintf("pages barrier --rounds %d ", o.times(2000))},
			{"lock", fmt.Sprintf("pages lock --rounds %d ", o.times(2000))},
			{"page", fmt.Sprintf("pages page --rounds %d ", o.times(200))},
		} {
			against := fmt.Sprintf("bare %s, 2 ranks, %s", x.name, p.name)
			g.Add(o.run(against, bare, x.line+p.flags, ""))
			g.Add(o.run(fmt.Sprintf("%s, 2 ranks, %s", x.name, p.name), first, x.line+p.flags, against))
		}
		for _, size := range []string{"small", "large"} {
			g.Add(o.run(fmt.Sprintf("%s diff, 2 ranks, %s", size, p.name),
				metric{"cases." + size, 1, "µs a page", true},
				fmt.Sprintf("pages diff --rounds %d %s", o.times(200), p.flags), ""))
		}
	}
	round := metric{"microseconds", 1, "µs a round", true}
	side, cities := 2000, 18
	if o.Quick {
		side, cities = 200, 12
	}
	for _, x := range []struct{ name, line string }{
		{fmt.Sprintf("Jacobi, %d²", side), fmt.Sprintf("pages jacobi --size %d --rounds %d ", side,
			max(4, o.times(50)))},
		{fmt.Sprintf("TSP, %d cities", cities), fmt.Sprintf("pages tsp --size %d ", cities)},
	} {
		alone := x.name + ", 1 rank"
		g.Add(o.run(alone, round, x.line+"--ranks 1", ""))
		for _, p := range o.places(2) {
			g.Add(o.run(fmt.Sprintf("%s, 2 ranks, %s", x.name, p.name), round, x.line+p.flags, alone))
		}
	}
	return g
}
