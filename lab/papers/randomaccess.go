package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/randomaccess"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// The paper's runs of RandomAccess (Active Pebbles, sections 4.1, 5.1 and 5.2, figure 3a): 2^19 words on each
// processor, four updates per word, and buffers of 1,024 updates. At most 1,024 of a processor's updates wait at a
// time, by an epoch for each 1,024.
const (
	lookAhead   = 1024
	paperWords  = 19
	paperEpochs = 4 << paperWords / lookAhead
	epochsRun   = 2 // simulated; all are alike
	ranksFirst  = 4 // a node of Odin
	ranksMost   = 512
)

// updates runs some epochs of RandomAccess, with the same work in each.
func updates(epochs, each int) program {
	c := randomaccess.Config{Log2Words: 10, UpdatesPerWord: float64(epochs*each) / 1024, Coalesce: each, Epoch: each}
	return program{fmt.Sprintf("RandomAccess, %d epochs of %d", epochs, each),
		func(r *pebble.Rank) (apps.Report, error) {
			result, err := randomaccess.Run(r, c)
			return result.Report, err
		}}
}

// way is the topology of the pebbles and the detector of the epochs.
type way struct{ topology, termination string }

func (w way) String() string { return w.topology + ", " + w.termination }

// ways are the paper's two, and ours.
var ways = []way{{"direct", "pcx"}, {"hypercube", "pcx"}, {"hypercube", "ordered"}}

func randomAccess(l *simulator, d *drawing) {
	d.axis, d.unit = "ranks", "seconds"
	t := lab.NewTable("ranks", "direct, pcx: s", "hypercube, pcx: s", "hypercube, ordered: s", "direct by the model: s",
		"hypercube, pcx by the model: s",
		"frames of a rank an epoch, direct", "hypercube, pcx", "hypercube, ordered")
	drawn := make([]*curve, len(ways))
	for i, w := range ways {
		drawn[i] = d.curve(w.String())
	}
	modelled := []*curve{d.curve("direct, pcx: model"), d.curve("hypercube, pcx: model")}
	for _, ranks := range l.upTo(ranksFirst, ranksMost) {
		cells, frames := []any{ranks}, []any{}
		for i, w := range ways {
			o := l.run(odin(ranks, w, 0), updates(epochsRun, lookAhead))
			seconds := o.Seconds / epochsRun * paperEpochs
			drawn[i].add(float64(ranks), seconds)
			cells, frames = append(cells, seconds), append(frames, o.perRank(o.Counters.FramesSent)/epochsRun)
		}
		for i, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			p := must(model.Odin.Predict(model.Job{
				Ranks: ranks, Layout: model.Layout{PerProcess: 1, PerHost: 4}, Topology: topology, Coalesce: lookAhead,
				Pebbles: lookAhead, Bytes: 8, Epochs: paperEpochs, Depth: 1, Detector: "pcx",
			}))
			modelled[i].add(float64(ranks), p.Overlapped)
			cells = append(cells, p.Overlapped)
		}
		t.Row(append(cells, frames...)...)
	}
	d.say("2^%d words and %s updates a rank, in %s epochs of %s, of which %d are simulated; buffers of %s updates.",
		paperWords, lab.Grouped(4<<paperWords), lab.Grouped(paperEpochs), lab.Grouped(lookAhead), epochsRun,
		lab.Grouped(lookAhead))
	d.table(t)
	d.below(drawn[0], drawn[1], "ranks")
	d.below(drawn[0], drawn[2], "ranks")
	d.below(modelled[0], modelled[1], "ranks")
}
