package netio

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// pace says how ranks wait, by how many share the cores. A rank with a core for itself only looks: to yield would cost more
// than a frame takes, and wake idle threads that take the core from another process. Ranks that outnumber the cores of their
// process let each other run, and those that outnumber the host's let the other processes run.
type pace struct {
	looks       int    // of one pause
	room        int    // pauses of a Wait between two looks for frames that came back
	least, most int    // pauses in vain before a rank parks
	ranks       uint32 // pauses between two yields to ranks of this process
	processes   uint32 // pauses between two yields to other processes; 0 is never
	yield       func() // to other processes
}

// The numbers: a look takes some 3 ns, and a yield to other processes 0.5 to 1 µs when none wants the core. So a rank with a core for itself
// parks after 512 pauses of 20 looks, some 50 µs, about what a sleep and its wake-up take; ranks that share cores park after 2,048 pauses of
// one look and a yield, a millisecond or two, for each of the others may have something to do first. Frames that came back are looked for
// once in 8 pauses (room) where a pause is only looks, since each may take a cache line from whoever releases, and in every pause where pauses
// yield to other processes, which costs a hundred times as much.

// paceOf is for a process that has so many of the ranks on this host.
func paceOf(here, onHost int) pace {
	p := pace{looks: 20, room: 8, least: 8, most: 512, ranks: 64, yield: cpu.Yield}
	if here > runtime.GOMAXPROCS(0) {
		p.looks, p.ranks = 1, 1
	}
	if onHost > runtime.NumCPU() {
		p.looks, p.room, p.most = 1, 1, 2048 // shorter pauses, and more of them
		p.processes = uint32(min(here, runtime.GOMAXPROCS(0)))
	}
	return p
}

// sleepShort is about what it takes to fall asleep and be woken. Whoever slept for less would better have stayed awake.
const sleepShort = 50 * time.Microsecond

// learn returns the patience after a sleep: on a machine that is busy with other work, it doesn't pay to look out for somebody
// who is not running.
func (p *pace) learn(patience int, slept time.Duration) int {
	if slept < sleepShort {
		return min(2*patience, p.most)
	}
	return max(patience/2, p.least)
}
