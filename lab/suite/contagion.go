package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab"
)

var visits = metric{"visits_per_second", millions, "M visits/s", false}

// epidemics are contagion simulations: on one rank, on two, and with the three ways to send of TRAM's paper.
func (o Options) epidemics() lab.Group {
	g := lab.Group{Name: "Contagion", Title: "Visits of a contagion simulation, by how they are sent",
		About: "Six days of a town of 500,000 people who make 5 visits a day, spread over the ranks without regard " +
			"to who is near, so that of two ranks each has half of its visits with the other: aggregated, with a " +
			"buffer by hand for each pair of ranks, and one message a visit (TRAM, figure 8). " +
			"\"In blocks\" spreads them so that most visits stay on their rank."}
	line := fmt.Sprintf("contagion --people %d --days 6 --spread ", o.times(500_000))
	const alone = "1 rank"
	g.Add(o.run(alone, visits, line+"blocks --ranks 1", ""))
	for _, p := range o.places(2) {
		g.Add(o.run("2 ranks, in blocks, "+p.name, visits, line+"blocks "+p.flags, alone))
		aggregated := "2 ranks, cyclic, aggregated, " + p.name
		g.Add(o.run(aggregated, visits, line+"cyclic "+p.flags, alone))
		g.Add(o.run("2 ranks, cyclic, by hand, "+p.name, visits, line+"cyclic --send manual "+p.flags,
			aggregated))
		if p.name != "mem" {
			g.Add(o.run("2 ranks, cyclic, a message a visit, "+p.name, visits,
				line+"cyclic --coalesce 1 "+p.flags, aggregated))
		}
	}
	return g
}
