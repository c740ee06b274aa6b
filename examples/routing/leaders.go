package main

import (
	"fmt"
	"slices"
	"sort"

	"github.com/activepebbles/pebbles/route"
)

// leaders is a topology where the first rank of each process communicates with other processes for all: a pebble goes
// to the leader of its own process, to the leader of its destination's, and down from there.
type leaders struct {
	ranks int
	first []int // leader of each process
}

// newLeaders assumes one process until Place sets the processes.
func newLeaders(ranks int) route.Topology { return leaders{ranks, []int{0}} }

func (l leaders) Name() string                     { return fmt.Sprintf("leaders%v", l.first) }
func (l leaders) Ranks() int                       { return l.ranks }
func (l leaders) Place(first []int) route.Topology { return leaders{l.ranks, slices.Clone(first)} }

// leader returns the leader of a rank's process.
func (l leaders) leader(of int) int { return l.first[sort.SearchInts(l.first, of+1)-1] }

func (l leaders) Neighbors(at int) []int {
	if at != l.leader(at) {
		return []int{l.leader(at)}
	}
	all := slices.DeleteFunc(slices.Clone(l.first), func(other int) bool { return other == at })
	for member := at + 1; member < l.ranks && l.leader(member) == at; member++ {
		all = append(all, member)
	}
	return all
}

func (l leaders) Next(at, dest int) int {
	switch {
	case at != l.leader(at):
		return l.leader(at)
	case l.leader(dest) != at:
		return l.leader(dest)
	}
	return dest
}

// Links up to a leader come before those between leaders, and links down come last.
func (l leaders) Stages() int { return 3 }

func (l leaders) Stage(from, to int) int {
	switch {
	case l.leader(from) != l.leader(to):
		return 1
	case to < from:
		return 0
	}
	return 2
}

// Hops: up, across, down.
func (l leaders) Hops() int { return 3 }
