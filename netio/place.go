package netio

import "fmt"

// Place is the position of a process in its job. [Spread] spreads ranks over processes in contiguous runs.
type Place struct {
	Ranks     int // ranks of the whole job
	First     int // the first rank of this process
	Last      int // one past the last rank of this process
	Process   int // this process, 0..Processes-1
	Processes int
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

// ProcessOf returns the process of the given rank. It is the inverse of [Spread], in constant time.
func (p Place) ProcessOf(rank int) int {
	size, larger := p.Ranks/p.Processes, p.Ranks%p.Processes
	inLarger := larger * (size + 1) // ranks in processes that have one more rank
	if rank < inLarger {
		return rank / (size + 1)
	}
	return larger + (rank-inLarger)/size
}

// Has reports whether a rank lives in this process.
func (p Place) Has(rank int) bool { return p.First <= rank && rank < p.Last }

// Firsts returns the first rank of every process.
func (p Place) Firsts() []int {
	firsts := make([]int, p.Processes)
	for i := range firsts {
		firsts[i], _ = Spread(p.Ranks, p.Processes, i)
	}
	return firsts
}
