package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// figure is one figure or table of a paper.
type figure struct {
	name         string // of its section of the page
	title, about string // of its picture
	draw         func(*simulator, *drawing)
}

// failed ends a figure.
type failed struct{ error }

// must returns a result. An error ends the figure.
func must[T any](result T, err error) T {
	if err != nil {
		panic(failed{err})
	}
	return result
}

// drawn draws the figure. It returns the error of a failed job.
func (f figure) drawn(l *simulator) (d drawing, err error) {
	defer func() {
		value := recover()
		if why, is := value.(failed); is {
			err = why.error
		} else if value != nil {
			panic(value)
		}
	}()
	f.draw(l, &d)
	return d, nil
}

func figures() []figure {
	return []figure{
		{"randomaccess", "RandomAccess on more and more ranks of Odin (Active Pebbles, figure 3a)",
			"Time of four updates of each of 2^19 words a rank, by topology and detector: simulated, and by the model.",
			randomAccess},
		{"what decides the crossing", "", "", whatDecides},
		{"permutation", "Permutation on more and more ranks of Odin (Active Pebbles, figure 4a)",
			"Time of an element, of which a rank has 2^12, 2^16 or 2^22: simulated, and by the model.", permuting},
		{"permutation by size", "Permutation on 256 ranks of Odin, by elements a rank",
			"Simulated, by topology and detector.", permutingBySize},
		{"pointerchase", "PointerChase on more and more ranks of Odin (Active Pebbles, figure 3b)",
			"Time of a step of the ring, simulated, by topology.", chasing},
		{"bfs", "Breadth-first search on more and more ranks of Odin (Active Pebbles, figure 4b)",
			"Time of one search of a random graph of 2^10 or 2^14 vertices a rank, simulated, by topology and " +
				"detector.", searching},
		{"all-to-all", "All-to-all, direct and over a mesh with buffers, on Blue Gene/Q (TRAM, figure 4a)",
			"Time of a round, which is 32 bytes to each other node.", allToAll},
		{"all-to-all by buffer", "All-to-all on 64 nodes of Blue Gene/Q, by bytes of a buffer (TRAM, figure 4b)",
			"Time of 32 bytes to each other node, when there are so many bytes for each; simulated, over a mesh of " +
				"three dimensions.", allToAllByBuffer},
		{"all-to-all by topology", "All-to-all on 64 nodes of Blue Gene/Q, by topology (TRAM, figure 4c)",
			"Time of 32 bytes to each other node, when there are so many bytes for each; simulated.",
			allToAllByTopology},
		{"table iii", "", "", tableIII},
		{"requests", "A step of an N-body simulation on Blue Gene/Q, by how requests are sent (TRAM, figure 6)",
			"Time of a step of one system on more and more ranks, simulated.", requests},
		{"epidemic by topology", "A day of an epidemic on Blue Gene/Q, by topology (TRAM, figure 7)",
			"Time of a day of one town on more and more ranks, simulated.", epidemicByTopology},
		{"epidemic by way", "A day of an epidemic on Blue Gene/Q, by how visits are sent (TRAM, figure 8)",
			"Time of a day of one town on more and more ranks, simulated.", epidemicByWay},
		{"epidemic overhead", "", "", epidemicOverhead},
		{"bfs by tasks", "Breadth-first search by tasks and by pebbles (Grappa, figure 8)",
			"Edges of the tree a second, simulated on nodes of four ranks.", grappaBFS},
		{"centrality by tasks", "Betweenness centrality by tasks and by pebbles (Grappa, figure 9)",
			"Edges of the graph times sources a second, simulated on nodes of four ranks.", grappaCentrality},
		{"uts-mem", "UTS-Mem on more and more nodes of Odin (Grappa, figure 7)",
			"Vertices of a tree in memory that are visited a second, simulated.", treesInMemory},
		{"ping", "Streams of messages between two nodes of Odin (Grappa, figure 10)",
			"Bytes a second from one node to the other, simulated.", pings},
		{"no aggregation", "", "", unaggregated},
		{"delay", "UTS-Mem on 16 nodes of Odin, by delay (Grappa, figure 12)",
			"Vertices that are visited a second, when a rank without work holds its buffers back for so long; " +
				"simulated.", delays},
		{"workers", "UTS-Mem on 16 nodes of Odin, by workers a rank (Grappa, figure 13)",
			"Vertices that are visited a second, when so many tasks of a rank may wait at a time; simulated.",
			workersSwept},
		{"hit rates", "Hits of address caches on more and more processes (XLUPC, figure 8)",
			"Accesses to other processes whose address was in the cache, simulated.", hitRates},
		{"pages operations", "", "", operations},
		{"pages by nodes", "Two programs on shared pages, on more and more nodes (TreadMarks over GM, figure 4)",
			"Time of the programs with messages by GM and by UDP, simulated.", pagesByNodes},
		{"pages by size", "", "", pagesBySize},
		{"switch time", "A switch to another task, by their number",
			"Time of a switch between tasks of one rank that only yield, on this machine.", switches},
	}
}

// group returns a group of results for package plots.
func (f figure) group(d drawing) lab.GroupResult {
	g := lab.GroupResult{Name: "papers " + f.name, Title: f.title, About: f.about}
	for _, c := range d.curves {
		for i, at := range c.at {
			g.Dot(c.name, d.axis, d.unit, at, c.is[i]).Lower = !d.rates
		}
	}
	return g
}

// drawing is the result of a figure: tables with lines of text between them, and curves of one unit.
type drawing struct {
	parts      []string
	axis, unit string
	rates      bool // higher is better; otherwise lower, as for times
	curves     []*curve
}

func (d *drawing) say(format string, args ...any) {
	d.parts = append(d.parts, fmt.Sprintf(format, args...))
}

func (d *drawing) text() string { return strings.Join(d.parts, "\n\n") + "\n" }

// table adds a table.
func (d *drawing) table(t *lab.Table) { d.parts = append(d.parts, strings.TrimRight(t.String(), "\n")) }

// curve is a line of a plot.
type curve struct {
	name   string
	at, is []float64
}

func (d *drawing) curve(name string) *curve {
	c := &curve{name: name}
	d.curves = append(d.curves, c)
	return c
}

func (c *curve) add(at, is float64) { c.at, c.is = append(c.at, at), append(c.is, is) }

// crossing returns the place from which on one curve lies below another, at all places that both have. Between two
// places it interpolates the ratio of the curves on logarithmic scales. It returns 0 if that is so from the first place
// on, and infinity if it is not so at the last.
func crossing(above, below *curve) float64 {
	at, lead := 0.0, math.Inf(1)
	for i, place := range above.at {
		ratio := math.Log(below.is[i] / above.is[i])
		switch {
		case ratio >= 0:
			at = math.Inf(1)
		case i > 0 && lead >= 0:
			share := lead / (lead - ratio)
			at = above.at[i-1] * math.Pow(place/above.at[i-1], share)
		}
		lead = ratio
	}
	return at
}

// describe returns a crossing in words.
func describe(at float64, first, last float64, unit string) string {
	switch {
	case at == 0:
		return fmt.Sprintf("already at %v %s", first, unit)
	case math.IsInf(at, 1):
		return fmt.Sprintf("nowhere up to %v %s", last, unit)
	}
	return fmt.Sprintf("from about %.0f %s on", at, unit)
}

// below adds the place from which on one curve lies below another.
func (d *drawing) below(above, below *curve, unit string) {
	d.say("%s is faster than %s %s.", below.name, above.name,
		describe(crossing(above, below), above.at[0], above.at[len(above.at)-1], unit))
}
