package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab"
)

var interactions = metric{"interactions_per_second", millions, "M interactions/s", false}

// systems are N-body simulations: on one rank, on two, and with the ways to request cells of other processes.
func (o Options) systems() lab.Group {
	g := lab.Group{Name: "N-body", Title: "Interactions of an N-body simulation, by how walks ask for cells of others",
		About: "The forces on 50,000 particles of Plummer's model at the start and after a step, at an opening angle " +
			"of 0.7 with hexadecapoles: with requests aggregated, and one message a request (TRAM, figure 6), by " +
			"asks and by tasks. In one process nothing has to be asked for."}
	line := fmt.Sprintf("nbody --particles %d --steps 1 --sample 20 ", o.times(50_000))
	const alone = "N-body, 1 rank"
	g.Add(o.run(alone, interactions, line+"--ranks 1", ""))
	for _, p := range o.places(2) {
		asks := "N-body, 2 ranks, " + p.name
		g.Add(o.run(asks, interactions, line+p.flags, alone))
		if p.name == "mem" {
			continue
		}
		g.Add(o.run("N-body, 2 ranks, by tasks, "+p.name, interactions, line+"--walk tasks "+p.flags, asks))
		g.Add(o.run("N-body, 2 ranks, a message a request, "+p.name, interactions, line+"--coalesce 1 "+p.flags, asks))
	}
	return g
}
