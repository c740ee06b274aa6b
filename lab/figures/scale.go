package main

import (
	"context"
	"flag"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func scaleProgram() lab.Program {
	var app, sizes string
	return lab.Program{Name: "scale", Flags: "pebbles out page", Own: func(f *flag.FlagSet) {
		f.StringVar(&app, "app", "randomaccess --log2-words 4", "the application and its flags")
		f.StringVar(&sizes, "ranks", "16,256,4096,65536", "how many ranks, powers of two")
	}, Run: func(ctx context.Context, s *lab.Session) error { return scale(ctx, s, app, sizes) }}
}

// scale simulates all sizes and publishes the results.
func scale(ctx context.Context, s *lab.Session, app, sizes string) error {
	var runs []run
	for _, text := range strings.Split(sizes, ",") {
		ranks, err := strconv.Atoi(text)
		if err != nil || ranks < 2 || ranks&(ranks-1) != 0 {
			return lab.UsageError{Err: fmt.Errorf("-ranks %s: the formulas are for powers of two, such as 16,256",
				sizes)}
		}
		fmt.Fprintf(s.Stderr, "%d ranks\n", ranks)
		r, err := simulate(ctx, s.Pebbles, strings.Fields(app), ranks)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	results := lab.NewResults("make -C lab scale")
	results.Groups = curves(runs)
	if s.Out != "" {
		if err := results.Write(s.Out); err != nil {
			return err
		}
	}
	text := tables(app, runs)
	if s.Page != "" {
		links, err := plots.Beside(s.Page, "", results)
		if err != nil {
			return err
		}
		for _, g := range results.Groups {
			text += g.Images(links)
		}
	}
	return s.Publish("scale", text)
}

// tables returns the runs next to the formulas.
func tables(app string, runs []run) string {
	counted := lab.NewTable("ranks", "buffers on a rank, at most", "log2 P + 1", "frames", "P log2 P + full ones",
		"frames / (P log2 P)", "rounds",
		"messages", "P log2 P", "hops a pebble")
	took := lab.NewTable("ranks", "pebbles", "predicted time", "frames of the whole run", "processor", "elapsed",
		"resident", "a rank")
	for _, r := range runs {
		c := r.Counters
		counted.Row(r.Ranks, r.Memory.Buffers, r.log()+1, c.Frames, r.mostFrames(),
			fmt.Sprintf("%.3f", float64(c.Frames)/float64(r.links())),
			c.Rounds, c.Detection, r.links(), fmt.Sprintf("%.3f", 1+float64(c.Forwarded)/float64(c.Handled)))
		took.Row(r.Ranks, c.Sent, fmt.Sprintf("%.4g ms", 1e3*r.Seconds), r.Simulation.Frames,
			fmt.Sprintf("%.3g s", r.took.CPU.Seconds()),
			fmt.Sprintf("%.3g s", r.took.Took.Seconds()), fmt.Sprintf("%.3g GiB", float64(r.took.Resident)/(1<<30)),
			fmt.Sprintf("%.4g KiB", float64(r.took.Resident)/float64(r.Ranks)/(1<<10)))
	}
	return fmt.Sprintf("%s It called `pebbles sim %s --topology hypercube --termination ordered`, each size as a "+
		"process of its own.\n\n%s\n%s",
		lab.Made("make -C lab scale"), app, counted, took)
}

// curves returns the plots: counters, and their formulas.
func curves(runs []run) (all []lab.GroupResult) {
	each := func(r run, n uint64) float64 { return float64(n) / float64(r.Ranks) }
	for _, of := range []struct {
		lab.GroupResult
		unit             string
		counted, formula func(run) float64
	}{
		{lab.GroupResult{Name: "Scale, buffers", Title: "Buffers on a rank of a hypercube",
			About: "Most that any rank had at a time, and the formula: log2 P + 1 for P ranks."}, "buffers on a rank",
			func(r run) float64 { return float64(r.Memory.Buffers) },
			func(r run) float64 { return float64(r.log() + 1) }},
		{lab.GroupResult{Name: "Scale, frames", Title: "Frames a rank sends over a hypercube",
			About: "Frames of an epoch, and the formula: one for each link, and those that are full."}, "frames a rank",
			func(r run) float64 { return each(r, r.Counters.Frames) },
			func(r run) float64 { return each(r, r.mostFrames()) }},
		{lab.GroupResult{Name: "Scale, detection", Title: "Messages a rank sends to detect an epoch's end over a " +
			"hypercube",
			About: "Messages of the ordered detector, and the formula: one for each link."}, "messages a rank",
			func(r run) float64 { return each(r, r.Counters.Detection) },
			func(r run) float64 { return each(r, r.links()) }},
	} {
		g := of.GroupResult
		for _, r := range runs {
			g.Dot("counted", "ranks", of.unit, float64(r.Ranks), of.counted(r))
			g.Dot("formula", "ranks", of.unit, float64(r.Ranks), of.formula(r))
		}
		all = append(all, g)
	}
	return all
}

// run is one simulated job, from the command's JSON, and the time and memory of the command.
type run struct {
	Ranks      int
	Seconds    float64 // virtual
	Coalesce   uint64  // pebbles in a buffer
	Errors     uint64
	Counters   counters
	Memory     struct{ Buffers int }
	Simulation struct{ Frames uint64 }

	took machine.Output
}

// counters are those of the timed kernel, over all ranks.
type counters struct {
	Sent      uint64 `json:"pebbles_sent"`
	Handled   uint64 `json:"pebbles_handled"`
	Forwarded uint64 `json:"forwarded"`
	Frames    uint64 `json:"frames_sent"`
	Detection uint64 `json:"detection_sent"`
	Rounds    uint64 `json:"rounds"`
}

// simulate runs the command.
func simulate(ctx context.Context, program string, app []string, ranks int) (r run, err error) {
	args := append(append([]string{program, "sim"}, app...), "--ranks", fmt.Sprint(ranks), "--topology", "hypercube",
		"--termination", "ordered",
		"--json", "--quiet")
	took, err := machine.Ask(ctx, 0, nil, &r, args...)
	if err != nil {
		return r, err
	}
	r.took = took
	if r.Errors > 0 || r.Ranks != ranks {
		return r, fmt.Errorf("%v: %d ranks and %d errors", args, r.Ranks, r.Errors)
	}
	return r, nil
}

// log returns log2 P.
func (r run) log() int { return bits.Len(uint(r.Ranks)) - 1 }

// pebblesAway returns the number of pebbles times their links: at most those sent plus those forwarded.
func (r run) pebblesAway() uint64 { return r.Counters.Sent + r.Counters.Forwarded }

// The formulas.

// links returns the number of links of all ranks. Each carries a frame if no buffer fills, and a message of the ordered
// detector in an epoch of depth one.
func (r run) links() uint64 { return uint64(r.Ranks * r.log()) }

// mostFrames returns a frame for each link, plus the full frames.
func (r run) mostFrames() uint64 { return r.links() + r.pebblesAway()/r.Coalesce }
