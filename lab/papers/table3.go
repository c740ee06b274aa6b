package main

import (
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/route"
)

// observed is a line of TRAM's table III: seconds for a simulation of an epidemic, without aggregation and with it.
type observed struct {
	nodes                  int
	overhead, overheadTRAM float64
	transfer, transferTRAM float64
	improvement, finalTRAM float64
}

// tram is table III of the paper.
var tram = []observed{
	{8, 6900, 646, 6900, 122, 8470, 4220},
	{64, 862, 80.8, 954, 19.5, 974, 542},
	{512, 108, 10.1, 73.1, 4.71, 113, 77.7},
	{4096, 13.5, 1.26, 12.6, .924, 14.8, 12.4},
	{8192, 6.73, .630, 9.88, .462, 7.13, 7.69},
}

// sixDims are meshes of six dimensions; the last dimension is a node's sixteen cores.
var sixDims = map[int][]int{
	8: {1, 2, 2, 2, 1, 16}, 64: {2, 2, 2, 4, 2, 16}, 512: {4, 4, 4, 4, 2, 16}, 4096: {8, 4, 8, 8, 2, 16},
	8192: {8, 8, 8, 8, 2, 16},
}

// itemsTable3 is the size of TRAM's buffer in this application (section VI.B), in items.
const itemsTable3 = 64

// tableIII compares the messages saved by aggregation with the reduction of the overhead that the paper estimates.
func tableIII(l *simulator, d *drawing) {
	t := lab.NewTable("nodes", "mesh", "hops in the mean", "messages saved by the model, times", "simulated, times",
		"overhead saved by the paper, times",
		"overhead without aggregation: s", "improvement that the paper saw: s")
	for _, o := range tram[:l.some(len(tram), 2)] {
		dims := sixDims[o.nodes]
		ranks := 16 * o.nodes
		p := must(model.BlueGeneQ.Predict(model.Job{
			Ranks: ranks, Layout: model.Layout{PerProcess: 1, PerHost: 16}, Topology: route.Mesh(dims...),
			Coalesce: itemsTable3,
			Pebbles:  1 << 30, Bytes: itemBytes,
		}))
		simulated := any("")
		if o.nodes == tram[0].nodes {
			network := sim.Machines["bluegene-q"]
			network.ProcessesPerHost = 16
			s := l.run(world{network: network, ranks: ranks, topology: mesh(dims...), coalesce: itemsTable3},
				exchange(l.some(64, 8)))
			simulated = float64(s.Counters.PebblesSent) / float64(s.Counters.FramesSent)
		}
		t.Row(lab.Grouped(o.nodes), mesh(dims...), p.MeanHops, 1/(p.MeanHops/itemsTable3), simulated,
			o.overhead/o.overheadTRAM, o.overhead, o.improvement)
	}
	d.say("Buffers of %d items, meshes of six dimensions. Messages saved are the buffer over the hops of an item; "+
		"six hops, the most that there can be, make %s.", itemsTable3, lab.Digits(itemsTable3/6.))
	d.table(t)
}
