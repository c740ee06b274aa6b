package netio

import (
	"fmt"
	"slices"
	"sort"
)

// Place is the position of a process in its job. [Spread] spreads ranks over processes in contiguous runs.
//
// In a team of a job's ranks, a run of consecutive ranks in one process stands for a process; see [PlaceAmong].
type Place struct {
	Ranks     int // ranks of the whole job
	First     int // the first rank of this process
	Last      int // one past the last rank of this process
	Process   int // this process, 0..Processes-1
	Processes int

	firsts *[]int // of all processes, where these are not as by Spread
	hosts  *[]int // first process of each host; nil where hosts are unknown
}

// PlaceOf returns the place of a process in a job whose ranks are spread by [Spread].
func PlaceOf(ranks, processes, process int) Place {
	first, last := Spread(ranks, processes, process)
	return Place{Ranks: ranks, First: first, Last: last, Process: process, Processes: processes}
}

// Spread returns the ranks of a process: first..last-1. The runs are contiguous. Their sizes differ by at most one,
// larger ones first.
func Spread(ranks, processes, process int) (first, last int) {
	if ranks < 0 || processes <= 0 || process < 0 || process >= processes {
		panic(fmt.Sprintf("netio: process %d of %d with %d ranks does not exist", process, processes, ranks))
	}
	size, larger := ranks/processes, ranks%processes
	first = process*size + min(process, larger)
	last = first + size
	if process < larger {
		last++
	}
	return first, last
}

// PlaceAmong returns the place of a process in a job. firsts are the first ranks of all processes, in ascending order
// from 0 on.
func PlaceAmong(ranks int, firsts []int, process int) Place {
	p := Place{Ranks: ranks, Process: process, Processes: len(firsts), firsts: &firsts}
	p.First, p.Last = p.Span(process)
	return p
}

// Span returns the ranks of a process: first to last-1.
func (p Place) Span(process int) (first, last int) {
	switch {
	case p.firsts == nil:
		return Spread(p.Ranks, p.Processes, process)
	case process+1 < p.Processes:
		return (*p.firsts)[process], (*p.firsts)[process+1]
	}
	return (*p.firsts)[process], p.Ranks
}

// ProcessOf returns the process of the given rank. It is the inverse of [Place.Span], in constant time for ranks that
// [Spread] spreads.
func (p Place) ProcessOf(rank int) int {
	if p.firsts != nil {
		return sort.SearchInts(*p.firsts, rank+1) - 1
	}
	size, larger := p.Ranks/p.Processes, p.Ranks%p.Processes
	inLarger := larger * (size + 1) // ranks in processes that have one more rank
	if rank < inLarger {
		return rank / (size + 1)
	}
	return larger + (rank-inLarger)/size
}

// OnHosts returns the place with hosts, given the first process of each, in ascending order from 0 on; nil if they are
// unknown. A run of consecutive processes on one host stands for a host.
func (p Place) OnHosts(firsts []int) Place {
	p.hosts = nil
	if firsts != nil {
		p.hosts = &firsts
	}
	return p
}

// HostOf returns the number of the given rank's host. Where hosts are unknown each process is one.
func (p Place) HostOf(rank int) int {
	process := p.ProcessOf(rank)
	if p.hosts == nil {
		return process
	}
	return sort.SearchInts(*p.hosts, process+1) - 1
}

// Hosts returns the first rank of every host.
func (p Place) Hosts() []int {
	if p.hosts == nil {
		return p.Firsts()
	}
	firsts := make([]int, len(*p.hosts))
	for i, process := range *p.hosts {
		firsts[i], _ = p.Span(process)
	}
	return firsts
}

// OnHost returns the number of ranks on this process's host.
func (p Place) OnHost() int {
	first, processes := p.Process, 1
	if p.hosts != nil {
		host := p.HostOf(p.First)
		first, processes = (*p.hosts)[host], p.Processes-(*p.hosts)[host]
		if host+1 < len(*p.hosts) {
			processes = (*p.hosts)[host+1] - first
		}
	}
	from, _ := p.Span(first)
	_, to := p.Span(first + processes - 1)
	return to - from
}

// Has reports whether a rank lives in this process.
func (p Place) Has(rank int) bool { return p.First <= rank && rank < p.Last }

// Firsts returns the first rank of every process.
func (p Place) Firsts() []int {
	if p.firsts != nil {
		return slices.Clone(*p.firsts)
	}
	firsts := make([]int, p.Processes)
	for i := range firsts {
		firsts[i], _ = Spread(p.Ranks, p.Processes, i)
	}
	return firsts
}
