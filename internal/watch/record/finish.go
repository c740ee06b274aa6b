package record

import (
	"cmp"
	"maps"
	"slices"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// finish completes the record.
func (r *reading) finish() *Record {
	r.leave()
	k := &r.record
	for _, rank := range slices.Sorted(maps.Keys(r.ranks)) {
		k.Ranks = append(k.Ranks, r.ranks[rank].rank)
	}
	k.Groups = groups(k.Ranks)
	k.Epochs = r.epochs.list(k.Ranks)
	k.Series = r.series.points()
	k.Ending = k.ending()
	if missing := k.missing(); len(missing) > 0 {
		r.problems.add("the record has nothing of ranks %s: copy the files of all hosts into one directory",
			state.Brief(missing))
	}
	k.Problems = r.problems.all()
	return k
}

// missing returns the ranks without a line.
func (k *Record) missing() (all []int) {
	known := k.Ranks
	for rank := range k.Job.Ranks {
		if len(known) > 0 && known[0].Rank.Rank == rank {
			known = known[1:]
		} else {
			all = append(all, rank)
		}
	}
	return all
}

// groups returns the ranks by their last call's team and number, the largest group first.
func groups(ranks []*Rank) []Group {
	by := map[epochKey]*Group{}
	for _, rank := range ranks {
		key := epochKey{rank.Call.Team, rank.Call.Number}
		g := by[key]
		if g == nil {
			g = &Group{Call: rank.Call}
			by[key] = g
		}
		g.Ranks = append(g.Ranks, rank.Rank.Rank)
	}
	var all []Group
	for _, g := range by {
		all = append(all, *g)
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Ranks), len(a.Ranks)), cmp.Compare(b.Call.Number, a.Call.Number),
			cmp.Compare(a.Call.Team, b.Call.Team))
	})
	return all
}

// process returns a process by its number, or nil if the record does not contain it.
func (k *Record) process(number int) *Process {
	i, ok := slices.BinarySearchFunc(k.Processes, number, func(p *Process, n int) int { return cmp.Compare(p.Process, n) })
	if !ok {
		return nil
	}
	return k.Processes[i]
}

// Rank returns a rank by its number, or nil if the record does not contain it.
func (k *Record) Rank(number int) *Rank {
	i, ok := slices.BinarySearchFunc(k.Ranks, number, func(r *Rank, n int) int { return cmp.Compare(r.Rank.Rank, n) })
	if !ok {
		return nil
	}
	return k.Ranks[i]
}

// Seconds returns the time from the start of the job to its last line.
func (k *Record) Seconds() float64 { return max(0, k.Job.Ended.Sub(k.Job.Started).Seconds()) }

// worst returns at most n ranks with the highest values above 0.
func (k *Record) worst(n int, of func(*Rank) float64) []*Rank {
	all := slices.DeleteFunc(slices.Clone(k.Ranks), func(r *Rank) bool { return of(r) <= 0 })
	slices.SortStableFunc(all, func(a, b *Rank) int { return cmp.Compare(of(b), of(a)) })
	return all[:min(n, len(all))]
}

// Measures of ranks that stand out.
func stoodStill(r *Rank) float64   { return r.StillMost }
func heldMemory(r *Rank) float64   { return float64(r.Memory.Peak) }
func waitedCredit(r *Rank) float64 { return r.Seconds.Credit }

// apart returns at most n ranks whose last call is not that of the largest group, the smallest groups first.
func (k *Record) apart(n int) (all []*Rank) {
	for i := len(k.Groups) - 1; i > 0; i-- {
		for _, number := range k.Groups[i].Ranks {
			if len(all) == n {
				return all
			}
			all = append(all, k.Rank(number))
		}
	}
	return all
}

// atFault returns at most n ranks to look at: those of the process that fell first, and those apart from the others.
// Without any, it returns those that stood still longest.
func (k *Record) atFault(n int) (all []*Rank) {
	add := func(more []*Rank) {
		for _, r := range more {
			if len(all) < n && !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	add(k.of(k.Ending.Process, max(n/2, 1)))
	add(k.apart(n))
	if len(all) == 0 {
		add(k.worst(n, stoodStill))
	}
	return all
}

// of returns at most n ranks of a process.
func (k *Record) of(process, n int) (all []*Rank) {
	for _, r := range k.Ranks {
		if len(all) < n && r.Process == process {
			all = append(all, r)
		}
	}
	return all
}
