package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/alltoall"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// itemBytes is the size of the data that TRAM sends to each destination in a round (TRAM, section V.D).
const itemBytes = 32

func exchange(rounds int) program {
	return program{fmt.Sprintf("all-to-all, %d rounds", rounds), func(r *pebble.Rank) (apps.Report, error) {
		result, err := alltoall.Run(r, alltoall.Config{Bytes: itemBytes, Rounds: uint64(rounds),
			Common: apps.Common{Seed: 1}})
		return result.Report, err
	}}
}

// mesh returns a mesh's name; a mesh of a single dimension is direct.
func mesh(dims ...int) string {
	if len(dims) == 1 {
		return "direct"
	}
	return "mesh:" + strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", "x"), "[]")
}

// partition is the machine of one of TRAM's runs: its nodes, and an affordable number of rounds.
type partition struct {
	dims     []int
	rounds   int
	directly bool // also simulated without aggregation
	routed   bool // simulated with aggregation
}

func (p partition) nodes() int { return p.dims[0] * p.dims[1] * p.dims[2] }

// partitions returns TRAM's four (section V.D), and two that are small enough for a full simulation.
func partitions(l *simulator) []partition {
	small := partition{dims: []int{4, 4, 4}, rounds: 4, directly: true, routed: true}
	if l.small {
		return []partition{small}
	}
	return []partition{
		small,
		{dims: []int{8, 8, 8}, rounds: 4, directly: true, routed: true},
		{dims: []int{8, 8, 16}, rounds: 1, directly: true, routed: true},
		{dims: []int{8, 16, 32}, rounds: 1, routed: true},
		{dims: []int{16, 32, 32}, rounds: 1},
		{dims: []int{32, 32, 32}, rounds: 1},
	}
}

const bufferItems = 2 << 10 / itemBytes // TRAM's buffers of 2 KB, figure 4a

// allToAll is figure 4a: a pebble per frame directly to its owner, against buffers of 2 KB along the three dimensions
// of the machine.
func allToAll(l *simulator, d *drawing) {
	d.axis, d.unit = "nodes", "milliseconds a round"
	t := lab.NewTable("nodes", "rounds", "direct: ms a round", "mesh", "speedup", "direct by the model: ms a round",
		"mesh by the model", "speedup by the model")
	simulated := []*curve{d.curve("direct, simulated"), d.curve("mesh, simulated")}
	modelled := []*curve{d.curve("direct, model"), d.curve("mesh, model")}
	for _, p := range partitions(l) {
		cells := []any{fmt.Sprintf("%s (%s)", lab.Grouped(p.nodes()), mesh(p.dims...)), p.rounds}
		var s, m [2]float64
		for i, topology := range []string{"direct", mesh(p.dims...)} {
			factor := []int{1, bufferItems}[i]
			s[i] = math.NaN()
			if p.directly && i == 0 || p.routed && i == 1 {
				o := l.run(world{network: sim.Machines["bluegene-q"], ranks: p.nodes(), topology: topology,
					coalesce: factor}, exchange(p.rounds))
				s[i] = 1e3 * o.Seconds / float64(p.rounds)
				simulated[i].add(float64(p.nodes()), s[i])
			}
			m[i] = exchanged(p.nodes(), topology, factor, p.rounds)
			modelled[i].add(float64(p.nodes()), m[i])
		}
		t.Row(append(cells, s[0], s[1], s[0]/s[1], m[0], m[1], m[0]/m[1])...)
	}
	d.say("%d bytes to each destination a round, one rank a node; direct without aggregation, and a mesh with the "+
		"sizes of the machine and buffers of "+
		"%d items. Empty: too large for a simulation in this program's time.", itemBytes, bufferItems)
	d.table(t)
}

// exchanged returns the time of a round of the all-to-all by the model, in milliseconds.
func exchanged(ranks int, topology string, factor, rounds int) float64 {
	constructor := must(route.ByName(topology))
	p := must(model.BlueGeneQ.Predict(model.Job{
		Ranks: ranks, Layout: model.Layout{PerProcess: 1, PerHost: 1}, Topology: constructor, Coalesce: factor,
		Pebbles: float64(rounds * (ranks - 1)), Bytes: itemBytes, Even: true, Depth: 1, Detector: "skr",
	}))
	return 1e3 * p.Overlapped / float64(rounds)
}

// payloads returns the amounts of data for each destination, in rounds of 32 bytes.
func payloads(most int) (rounds []int) {
	for n := 1; n <= most; n *= 8 {
		rounds = append(rounds, n)
	}
	return rounds
}

// allToAllByBuffer is figure 4b: 64 nodes, one mesh of three dimensions, buffers of many sizes.
func allToAllByBuffer(l *simulator, d *drawing) {
	d.axis, d.unit = "bytes of a buffer", "microseconds for 32 bytes to each"
	network, dims := sim.Machines["bluegene-q"], []int{4, 4, 4}
	rounds := payloads(l.some(512, 8))
	names := []string{"bytes of a buffer"}
	for _, n := range rounds {
		names = append(names, fmt.Sprintf("%s bytes to each: µs", lab.Grouped(itemBytes*n)))
		d.curve(fmt.Sprintf("%s bytes to each", lab.Grouped(itemBytes*n)))
	}
	t := lab.NewTable(names...)
	for bytes := 128; bytes <= 128<<10; bytes *= 4 {
		cells := []any{lab.Grouped(bytes)}
		for i, n := range rounds {
			o := l.run(world{network: network, ranks: 64, topology: mesh(dims...), coalesce: bytes / itemBytes},
				exchange(n))
			d.curves[i].add(float64(bytes), 1e6*o.Seconds/float64(n))
			cells = append(cells, 1e6*o.Seconds)
		}
		t.Row(cells...)
	}
	d.say("64 ranks on as many nodes, %s.", mesh(dims...))
	d.table(t)
}

// allToAllByTopology is figure 4c: 64 nodes, and meshes of one to six dimensions over them.
func allToAllByTopology(l *simulator, d *drawing) {
	d.axis, d.unit = "bytes to each", "microseconds for 32 bytes to each"
	rounds := payloads(l.some(4096, 8))
	names := []string{"topology", "dimensions"}
	for _, n := range rounds {
		names = append(names, fmt.Sprintf("%s bytes to each: µs", lab.Grouped(itemBytes*n)))
	}
	t := lab.NewTable(names...)
	most := 32 << 10 / itemBytes
	for _, dims := range [][]int{{64}, {8, 8}, {4, 4, 4}, {2, 2, 4, 4}, {2, 2, 2, 2, 2, 2}} {
		cells, c := []any{mesh(dims...), len(dims)}, d.curve(mesh(dims...))
		for _, n := range rounds {
			o := l.run(world{network: sim.Machines["bluegene-q"], ranks: 64, topology: mesh(dims...),
				coalesce: most}, exchange(n))
			c.add(float64(itemBytes*n), 1e6*o.Seconds/float64(n))
			cells = append(cells, 1e6*o.Seconds)
		}
		t.Row(cells...)
	}
	d.say("64 ranks on as many nodes, buffers of %s items (32 KB).", lab.Grouped(most))
	d.table(t)
	for i, n := range rounds {
		worst, best := slowest(d.curves, i)
		d.say("%s bytes to each: %s is fastest, and %s takes %s times as long.", lab.Grouped(itemBytes*n), best.name,
			worst.name, lab.Digits(worst.is[i]/best.is[i]))
	}
}

// slowest returns the curve that is highest at a place, and the one that is lowest.
func slowest(all []*curve, at int) (worst, best *curve) {
	worst, best = all[0], all[0]
	for _, c := range all {
		if c.is[at] > worst.is[at] {
			worst = c
		}
		if c.is[at] < best.is[at] {
			best = c
		}
	}
	return worst, best
}
