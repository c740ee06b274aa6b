package bootstrap

import "fmt"

// tree is the tree of a job's processes: process i is a child of process (i-1)/fanout.
type tree struct{ processes, fanout int }

// fanoutDefault makes trees of 2 levels for 64 processes, and of 5 for 10,000.
const fanoutDefault = 8

func (t tree) parent(process int) int { return (process - 1) / t.fanout }

// children returns the children of a process: first..last-1.
func (t tree) children(process int) (first, last int) {
	first = min(process*t.fanout+1, t.processes)
	return first, min(first+t.fanout, t.processes)
}

// isChild reports whether a process is a child of a parent.
func (t tree) isChild(process, parent int) bool {
	return process > 0 && process < t.processes && t.parent(process) == parent
}

// checkSubtree returns an error unless the members are the process and all below it, each once.
func (t tree) checkSubtree(process int, members []member) error {
	seen := make(map[int]bool, len(members))
	for _, m := range members {
		switch err := m.check(); {
		case err != nil:
			return fmt.Errorf("process %d: %w", m.Number, err)
		case !t.below(m.Number, process):
			return fmt.Errorf("process %d is not below process %d", m.Number, process)
		case seen[m.Number]:
			return fmt.Errorf("two processes have number %d", m.Number)
		}
		seen[m.Number] = true
	}
	if want := t.size(process); len(members) != want {
		return fmt.Errorf("it tells of %d processes, not of %d", len(members), want)
	}
	return nil
}

// below reports whether a process is another one or below it.
func (t tree) below(process, above int) bool {
	if process < 0 || process >= t.processes {
		return false
	}
	for process > above {
		process = t.parent(process)
	}
	return process == above
}

// size returns the number of processes in a subtree.
func (t tree) size(process int) (n int) {
	for first, last := process, process+1; first < last; {
		n += last - first
		next, _ := t.children(first)
		_, end := t.children(last - 1)
		first, last = next, end
	}
	return n
}
