package worlds

import (
	"fmt"
	"math/rand/v2"
)

// connecting describes a world of another kind, without pebbles: processes connect by package netio/tcp, over a network
// in memory and in virtual time, and send frames to each other. Its faults are those of a network.
type connecting struct {
	Posts   int // maximum number of frames that a rank sends; 0: a world of pebbles
	Need    int // 1: processes connect when they need to; 0: all at the start
	Apart   int // maximum milliseconds until a process starts
	Within  int // maximum milliseconds until a rank sends a frame
	Latency int // maximum microseconds that bytes take
	Slow    int // percent of dials that take up to two seconds
	Fail    int // percent of dials that fail or break in the greeting: the first of each pair
	Stall   int // percent of connections that stall for up to a second
	Refuse  int // percent of dials that a running process refuses
	Reset   int // percent of connections that break
	Hush    int // percent of connections that lose all later bytes of one end
	Abort   int // 1: a process that loses another one ends the job
}

func (c connecting) check(w *World) error {
	switch {
	case w.Processes < 2 || w.Ranks < w.Processes || w.Ranks > connectingMost:
		return fmt.Errorf("worlds: connections of %d ranks in %d processes: give two processes or more, as many ranks, "+
			"and at most %d", w.Ranks, w.Processes, connectingMost)
	case w.Death > w.Processes:
		return fmt.Errorf("worlds: the death of process %d, of %d", w.Death-1, w.Processes)
	}
	return nil
}

// connectingMost is the maximum number of ranks of such a world.
const connectingMost = 64

// drawConnecting returns the world of a seed with processes that connect.
func drawConnecting(seed uint64) World {
	d := drawn{rand.New(rand.NewPCG(seed, 0x6469616c73))}
	w := World{Seed: seed}
	w.Processes = 2 + d.small(4)
	if d.chance(2) {
		w.Processes = 2 + d.IntN(9)
	}
	w.Ranks = w.Processes + d.small(3)
	w.Posts, w.Need = 1+d.small(12), bit(d.chance(85))
	w.Apart, w.Within = one(d, 0, 0, 10, 3000), one(d, 0, 0, 1, 20, 1000)
	w.Latency = one(d, 0, 10, 1000, 50_000)
	if d.chance(30) {
		w.Slow = one(d, 10, 50)
	}
	if d.chance(50) {
		w.Fail = one(d, 10, 50, 90)
	}
	if d.chance(30) {
		w.Stall = one(d, 10, 50)
	}
	if d.chance(35) {
		d.breakages(&w)
	}
	return w
}

// breakages draws the faults that may end a job.
func (d drawn) breakages(w *World) {
	w.Abort = d.IntN(2)
	switch d.IntN(4) {
	case 0:
		w.Refuse = one(d, 5, 50)
	case 1:
		w.Reset = one(d, 5, 50)
	case 2:
		w.Hush = one(d, 5, 50)
	case 3:
		w.Death, w.Long = 1+d.IntN(w.Processes), d.IntN(2)
		w.When = d.IntN(one(d, 1_000_000, 100_000_000, 5_000_000_000))
	}
}
