package tcp

import (
	"math/bits"
	"slices"
	"sync"
)

// notice is the reason for which a job ends, on its way to all processes.
type notice struct {
	origin int // the process that ended the job
	reason string
	lost   int // the process whose loss is the reason; nobody for another reason
	to     int // the process that it is for; those on the way take it too
	by     int // the neighbour in the tree that tells that process
	hops   int // how often it was passed on to that process
}

// nobody is the number of no process.
const nobody = -1

// spread tells all processes why their job ends. Notices travel in both directions of a tree, in which the parent of a
// process has its number without the lowest bit that is set. So every edge is a connection of the start. A process
// passes on the first notice that it has, and no other one: a notice reaches P processes by P-1 messages, on which none
// waits for more than 2 log2 P others.
//
// A neighbour in the tree that is gone is replaced by its other neighbours there: its children are adopted by its
// parent, and those of the root by each other. Two neighbours of one that is gone differ in two bits, so there is a way
// between them by one other process, and longer ones if that is gone too.
type spread struct {
	process, processes int
	open               func(process int) bool    // a connection takes notices to it
	gone               func(process int) bool    // it can't pass notices on, as far as is known here
	send               func(next int, n *notice) // by a connection that is open

	mu    sync.Mutex
	told  bool
	first notice // the one that was passed on
}

// tell passes a notice on along the tree. It does nothing and returns false after the first one. The processes given
// have it.
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
	if n.lost != nobody && s.open(n.lost) { // it may live, and be cut off from some
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

// inTree are the neighbours of this process in the tree. Those that are gone come first: a process by way of which
// others are reached may end as soon as it has a notice.
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

// heard takes a notice that has come from a neighbour, and passes it on to the process that it is for. It reports
// whether it is the first one.
func (s *spread) heard(n notice, from int) (first bool) {
	first = s.tell(n, from, n.by, n.to)
	if n.to != s.process && n.hops < hopsMax(s.processes) {
		n.hops++
		s.reach(n, n.to, from)
	}
	return first
}

// hopsMax bounds the ways of notices to one process, with detours.
func hopsMax(processes int) int { return 2 * bits.Len(uint(processes)) }

// lose replaces a neighbour in the tree that was lost after it should have passed a notice on.
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

// reach sends a notice to a process, which its neighbours in the tree replace if it is gone. It does not go back where
// it has come from.
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

// next is the neighbour by way of which a notice reaches a process that is not connected with this one: one that is
// nearer; else one from which there may be another way; else that from which the notice has come.
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

// treeNeighbours are the neighbours of a process in the tree: its children, and its parent.
func treeNeighbours(process, processes int) (all []int) {
	for _, other := range neighbours(process, processes) {
		if larger := max(process, other); larger&(larger-1) == min(process, other) {
			all = append(all, other)
		}
	}
	return all
}
