package bootstrap

// tree is how processes are joined: process i is a child of process (i-1)/fanout.
type tree struct{ processes, fanout int }

// fanoutDefault makes trees of 2 levels for 64 processes, and of 5 for 10,000.
const fanoutDefault = 8

func (t tree) parent(process int) int { return (process - 1) / t.fanout }

// children are the processes first..last-1.
func (t tree) children(process int) (first, last int) {
	first = min(process*t.fanout+1, t.processes)
	return first, min(first+t.fanout, t.processes)
}

// isChild reports whether a process is a child of a parent.
func (t tree) isChild(process, parent int) bool {
	return process > 0 && process < t.processes && t.parent(process) == parent
}
