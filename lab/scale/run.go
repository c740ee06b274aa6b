package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// run is one simulated job, as the command's JSON tells of it, and what this machine needed.
type run struct {
	Ranks       int
	Seconds     float64 // virtual
	Termination string
	Coalesce    uint64 // pebbles a buffer
	Errors      uint64
	Counters    counters
	Memory      struct{ Buffers int }
	Simulation  struct{ Frames uint64 }

	took     time.Duration
	busy     time.Duration // of processors
	resident int64         // bytes
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
	args := append(append([]string{"sim"}, app...), "--ranks", strconv.Itoa(ranks), "--topology", "hypercube", "--termination", "ordered",
		"--json", "--quiet")
	c := exec.CommandContext(ctx, program, args...)
	var out, told bytes.Buffer
	c.Stdout, c.Stderr = &out, &told
	began := time.Now()
	if err := c.Run(); err != nil {
		return r, fmt.Errorf("%v: %w: %s", c.Args, err, told.Bytes())
	}
	r.took, r.busy = time.Since(began), c.ProcessState.UserTime()+c.ProcessState.SystemTime()
	if used, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.resident = used.Maxrss << 10
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("%v: %w", c.Args, err)
	}
	if r.Errors > 0 || r.Ranks != ranks {
		return r, fmt.Errorf("%v: %d ranks and %d errors", c.Args, r.Ranks, r.Errors)
	}
	return r, nil
}

// log is log2 P.
func (r run) log() int { return bits.Len(uint(r.Ranks)) - 1 }

// pebblesAway are pebbles times the links that they went over: at most those that left their rank and those that were passed on.
func (r run) pebblesAway() uint64 { return r.Counters.Sent + r.Counters.Forwarded }

// What the formulas say.

// linkFrames is a frame for each link: what leaves when nothing fills a buffer.
func (r run) linkFrames() uint64 { return uint64(r.Ranks * r.log()) }

// mostFrames is that, and the frames that are full.
func (r run) mostFrames() uint64 { return r.linkFrames() + r.pebblesAway()/r.Coalesce }

// detection is what the ordered detector sends in an epoch of depth one: a message over each link.
func (r run) detection() uint64 { return uint64(r.Ranks * r.log()) }
