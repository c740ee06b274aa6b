package tcp

import (
	"math/bits"
	"slices"
	"sync"
)

// notice carries the reason for the end of a job to all processes.
type notice struct {
	origin int // the process that ended the job
	reason string
	lost   int // the lost process, if its loss is the reason; otherwise nobody
	to     int // destination; processes on the path take it too
	by     int // neighbour in the tree that informs the destination
	hops   int // number of times that it was passed on to the destination
}

// nobody stands for no process.
const nobody = -1

// spread sends the reason for the end of a job to all processes. Notices travel in both directions of a tree. The
// parent of a process has its number without the lowest set bit, so every edge is a connection of the start. A process
// passes on its first notice and no other one: a notice reaches P processes by P-1 messages, none of them after more
// than 2 log2 P others on its path.
//
// If a process in the tree is gone, its neighbours there replace it: its parent adopts its children, and those of the
// root adopt each other. Two neighbours of a process that is gone differ in two bits, so a path between them leads
// through one other process, and longer ones exist if that is gone too.
type spread struct {
	process, processes int
	open               func(process int) bool    // a connection takes notices to the process
	gone               func(process int) bool    // the process can't pass notices on, as far as is known here
	send               func(next int, n *notice) // over an open connection

	mu    sync.Mutex
	told  bool
	first notice // the notice that was passed on
}

// tell passes the first notice on along the tree; later it does nothing and returns false. have lists processes with a
// notice.
func (s *spread) tell(n notice, have ...int) (first bool) {
	s.mu.Lock()
	first, s.told = !s.told, true
	if first {
		s.first = n
	}
	s.mu.Unlock()
	if !first {
		return false
	}
	n.by, n.hops = s.process, 0
	if n.lost != nobody && s.open(n.lost) { // it may live, cut off from some processes
		n.to = n.lost
		s.send(n.lost, &n)
	}
	for _, process := range s.inTree() {
		if !slices.Contains(have, process) {
			s.reach(n, process, nobody)
		}
	}
	return true
}

// inTree returns the neighbours of this process in the tree. Those that are gone come first: a process on the path to
// others may end as soon as it has a notice.
func (s *spread) inTree() []int {
	var gone, others []int
	for _, process := range treeNeighbours(s.process, s.processes) {
		if s.gone(process) {
			gone = append(gone, process)
		} else {
			others = append(others, process)
		}
	}
	return append(gone, others...)
}

// heard takes a notice from a neighbour, and passes it on to its destination. It reports whether the notice is the
// first.
func (s *spread) heard(n notice, from int) (first bool) {
	first = s.tell(n, from, n.by, n.to)
	if n.to != s.process && n.hops < hopsMax(s.processes) {
		n.hops++
		s.reach(n, n.to, from)
	}
	return first
}

// hopsMax bounds the hops of a notice to one process, with detours.
func hopsMax(processes int) int { return 2 * bits.Len(uint(processes)) }

// lose replaces a neighbour in the tree that is lost after the first notice and may not have passed it on.
func (s *spread) lose(process int) {
	s.mu.Lock()
	n, told := s.first, s.told
	s.mu.Unlock()
	if told && process != n.lost && slices.Contains(treeNeighbours(s.process, s.processes), process) {
		n.by, n.hops = s.process, 0
		s.reach(n, process, nobody)
	}
}

// has reports whether this process has a notice.
func (s *spread) has() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told
}

// reach sends a notice to a process, or to its neighbours in the tree if it is gone. The notice goes back to from, its
// last sender, only if no other path is left.
func (s *spread) reach(n notice, to, from int) {
	n.to = to
	open := s.open(to)
	if open && to != n.lost {
		s.send(to, &n)
	}
	if to == n.lost || s.gone(to) {
		by := n.by
		n.by = to
		for _, process := range treeNeighbours(to, s.processes) {
			if process != by && process != s.process {
				s.reach(n, process, from)
			}
		}
	} else if !open {
		if next := s.next(&n, from); next != nobody {
			s.send(next, &n)
		}
	}
}

// next returns the neighbour that takes a notice to a process without a connection to this one: a nearer neighbour,
// else one that may have another path, else from.
func (s *spread) next(n *notice, from int) int {
	apart := func(process int) int { return bits.OnesCount(uint(process ^ n.to)) }
	detour, back := nobody, nobody
	for _, next := range neighbours(s.process, s.processes) {
		switch {
		case next == n.lost || !s.open(next) || s.gone(next):
		case next == from:
			back = next
		case apart(next) < apart(s.process):
			return next
		case detour == nobody:
			detour = next
		}
	}
	if detour == nobody {
		return back
	}
	return detour
}

// treeNeighbours returns the neighbours of a process in the tree: its children and its parent.
func treeNeighbours(process, processes int) (all []int) {
	for _, other := range neighbours(process, processes) {
		if larger := max(process, other); larger&(larger-1) == min(process, other) {
			all = append(all, other)
		}
	}
	return all
}
