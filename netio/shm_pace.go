package netio

import "runtime"

// pace says how ranks wait, by how many share the cores. A rank with a core for itself only looks: to yield would cost more than
// a frame takes, and wake idle threads that take the core from another process. Ranks that outnumber the cores of their process
// let each other run, and those that outnumber the host's let the other processes run.
type pace struct {
	looks     int    // of one pause
	lingers   int    // pauses before a rank goes to sleep
	ranks     uint32 // pauses between two yields to ranks of this process
	processes uint32 // pauses between two yields to other processes; 0 is never
}

// paceOf is for a process that has so many of the ranks on this host.
func paceOf(here, onHost int) pace {
	p := pace{looks: 20, lingers: 200, ranks: 64}
	if here > runtime.GOMAXPROCS(0) {
		p.looks, p.ranks = 1, 1
	}
	if onHost > runtime.NumCPU() {
		p.looks, p.lingers = 1, 10
		p.processes = uint32(min(here, runtime.GOMAXPROCS(0)))
	}
	return p
}
