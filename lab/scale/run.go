package main

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/activepebbles/pebbles/lab"
)

// run is one simulated job, as the command's JSON describes it, and what this machine needed.
type run struct {
	Ranks       int
	Seconds     float64 // virtual
	Termination string
	Coalesce    uint64 // pebbles a buffer
	Errors      uint64
	Counters    counters
	Memory      struct{ Buffers int }
	Simulation  struct{ Frames uint64 }

	took lab.Output
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
	args := append(append([]string{program, "sim"}, app...), "--ranks", fmt.Sprint(ranks), "--topology", "hypercube", "--termination", "ordered",
		"--json", "--quiet")
	took, err := lab.Ask(ctx, 0, nil, &r, args...)
	if err != nil {
		return r, err
	}
	r.took = took
	if r.Errors > 0 || r.Ranks != ranks {
		return r, fmt.Errorf("%v: %d ranks and %d errors", args, r.Ranks, r.Errors)
	}
	return r, nil
}

// log is log2 P.
func (r run) log() int { return bits.Len(uint(r.Ranks)) - 1 }

// pebblesAway are pebbles times the links that they went over: at most those that left their rank and those that were passed on.
func (r run) pebblesAway() uint64 { return r.Counters.Sent + r.Counters.Forwarded }

// What the formulas say.

// links are those of all ranks: over each goes a frame when nothing fills a buffer, and a message of the ordered detector in an epoch of
// depth one.
func (r run) links() uint64 { return uint64(r.Ranks * r.log()) }

// mostFrames is a frame for each link, and the frames that are full.
func (r run) mostFrames() uint64 { return r.links() + r.pebblesAway()/r.Coalesce }
