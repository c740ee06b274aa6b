package main

import (
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// table shows runs beside the formulas.
func table(app string, runs []run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`make -C lab scale` wrote this: `pebbles sim %s --topology hypercube --termination ordered`, each size as a process of its own. "+
		"Machine: %v.\n\n", app, lab.ThisMachine())
	b.WriteString("| ranks | buffers on a rank, at most | log2 P + 1 | frames | P log2 P + full ones | frames / (P log2 P) | rounds | messages | P log2 P | hops a pebble |\n" +
		"|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range runs {
		c := r.Counters
		fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %.3f | %d | %d | %d | %.3f |\n", r.Ranks, r.Memory.Buffers, r.log()+1, c.Frames, r.mostFrames(),
			float64(c.Frames)/float64(r.linkFrames()), c.Rounds, c.Detection, r.detection(),
			1+float64(c.Forwarded)/float64(c.Handled))
	}
	b.WriteString("\n| ranks | pebbles | predicted time | frames of the whole run | processor | elapsed | resident | a rank |\n" +
		"|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range runs {
		fmt.Fprintf(&b, "| %d | %d | %.4g ms | %d | %.3g s | %.3g s | %.3g GiB | %.4g KiB |\n", r.Ranks, r.Counters.Sent, 1e3*r.Seconds,
			r.Simulation.Frames, r.busy.Seconds(), r.took.Seconds(), float64(r.resident)/(1<<30), float64(r.resident)/float64(r.Ranks)/(1<<10))
	}
	return b.String()
}

var curveNames = []string{"Scale, buffers", "Scale, frames", "Scale, detection"}

// curves are the plots: what was counted, and the formula.
func curves(runs []run) (all lab.Results) {
	all.Format = lab.Format
	each := func(r run, n uint64) float64 { return float64(n) / float64(r.Ranks) }
	for i, of := range []struct {
		unit             string
		counted, formula func(run) float64
	}{
		{"buffers on a rank", func(r run) float64 { return float64(r.Memory.Buffers) }, func(r run) float64 { return float64(r.log() + 1) }},
		{"frames a rank", func(r run) float64 { return each(r, r.Counters.Frames) }, func(r run) float64 { return each(r, r.mostFrames()) }},
		{"messages a rank", func(r run) float64 { return each(r, r.Counters.Detection) }, func(r run) float64 { return each(r, r.detection()) }},
	} {
		g := lab.GroupResult{Name: curveNames[i]}
		for _, r := range runs {
			g.Results = append(g.Results, dot("counted", of.unit, r, of.counted(r)), dot("formula", of.unit, r, of.formula(r)))
		}
		all.Groups = append(all.Groups, g)
	}
	return all
}

func dot(curve, unit string, r run, value float64) *lab.Result {
	return &lab.Result{
		Case:    lab.Case{Name: curve, Unit: unit, Point: &lab.Point{Curve: curve, Axis: "ranks", At: float64(r.Ranks)}},
		Samples: []lab.Sample{{Value: value}},
	}
}
