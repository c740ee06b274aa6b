package model

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// detection is the cost of detecting the end of an epoch: rounds of steps, each a message after the one before.
type detection struct {
	rounds  int
	global  bool // a round covers all ranks, in ⌈log2 P⌉ steps of doubling distance; otherwise the neighbours
	steps   int  // of a round that is not global
	formula string
}

// Detectors are the values of [Job].Detector; "" stands for skr without a declared depth, and with one for the fastest.
var Detectors = []string{"nbx", "ordered", "pcx", "pcx-neighbors", "skr"}

// detect returns the formula of a detector (Active Pebbles, section 3.6), for a depth n and routes of s hops.
func detect(name string, depth int, s Shape) (detection, error) {
	d := detection{rounds: depth * max(1, s.Hops)}
	switch name {
	case "skr":
		return detection{rounds: 2, global: true, formula: "skr: 2 all-reductions of ⌈log2 P⌉ steps (Active Pebbles, " +
			"3.6.1)"}, nil
	case "nbx", "pcx":
		d.global = true
		d.formula = "n·s rounds of ⌈log2 P⌉ steps, for depth n and s hops (Active Pebbles, 3.6.2)"
	case "pcx-neighbors":
		d.steps = log2(s.Neighbors + 1)
		d.formula = "n·s rounds of ⌈log2 k⌉ steps among k-1 neighbours, for depth n and s hops (Active Pebbles, 3.6.2)"
	case "ordered":
		d.rounds, d.steps = depth*s.Stages, 1
		d.formula = "one message a stage, for each level of depth (TRAM, III.D)"
	default:
		return d, fmt.Errorf("model: unknown detector %q: use one of %s", name, strings.Join(Detectors, ", "))
	}
	switch d.formula = name + ": " + d.formula; {
	case depth < 1:
		return d, fmt.Errorf("model: detector %s needs a declared depth: declare one, or use skr", name)
	case name == "ordered" && s.Stages == 0:
		return d, fmt.Errorf("model: detector ordered needs a topology with stages: use another detector")
	}
	return d, nil
}

// log2 returns ⌈log2 n⌉.
func log2(n int) int { return bits.Len(uint(max(1, n) - 1)) }

// countBytes is the size of a message of detection: two counts (Active Pebbles, 3.6; termination.SKR).
const countBytes = 16

// seconds returns the time of detection.
func (d detection) seconds(p *Parameters, s Shape, layout Layout) float64 {
	if !d.global {
		slowest := 0.0
		for _, l := range s.Mean {
			slowest = max(slowest, p.Link(l.Class).Message(countBytes))
		}
		return float64(d.rounds*d.steps) * slowest
	}
	round := 0.0
	for far := 1; far < s.Ranks; far *= 2 {
		round += p.Link(layout.class(0, far)).Message(countBytes)
	}
	return float64(d.rounds) * round
}

// messages returns the number of steps that follow each other.
func (d detection) messages(ranks int) int {
	if d.global {
		return d.rounds * log2(ranks)
	}
	return d.rounds * d.steps
}

// choose returns the detector of a job.
func (j *Job) choose(p *Parameters, s Shape, layout Layout) (name string, d detection, err error) {
	switch {
	case j.Detector != "" && j.Detector != "auto":
		d, err = detect(j.Detector, j.Depth, s)
		return j.Detector, d, err
	case j.Depth == 0:
		d, err = detect("skr", 0, s)
		return "skr", d, err
	}
	best := math.Inf(1)
	// skr first: its verdict is the strongest, and wins if none is faster
	for _, candidate := range slices.Backward(Detectors) {
		one, err := detect(candidate, j.Depth, s)
		if seconds := one.seconds(p, s, layout); err == nil && seconds < best {
			name, d, best = candidate, one, seconds
		}
	}
	return name, d, nil
}
