package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// works are the rows of the README's table, by the names of their groups without the medium: where this library leads,
// and where it trails.
var works = []string{"RandomAccess, 2^20 words a rank", "RandomAccess, 2^20 words a rank, best buffers",
	"RandomAccess, 2^22 words a rank", "RandomAccess, 2^22 words a rank, best buffers",
	"Permutation, 2^20 elements a rank", "All-to-all, items of 32 bytes", "BFS, Kronecker graph of scale 18",
	"PageRank, Kronecker graph of scale 18", "Contagion, a town of 500000 people", "Jacobi, a grid of 2000 by 2000",
	"Jacobi, a grid of 510 by 510", "Empty epochs of 2 ranks", "PointerChase"}

// writeReadme renders kept results as the section "peers" of a README, without measuring anything.
func writeReadme(from, file string) error {
	r, err := lab.Read(from)
	if err != nil {
		return err
	}
	return lab.WriteSection(file, "peers", readme(r))
}

// readme returns the table of the README: this library next to its readers' alternatives, first over shared memory,
// then over TCP.
func readme(r lab.Results) string {
	const ours, mpi, suites = "Active Pebbles", "MPI by hand", "HPCC or PBGL"
	t := lab.NewTable("work", ours, "in one process", mpi, suites, "over TCP: "+ours, mpi, suites)
	for _, work := range works {
		unit, cells := "", []any(nil)
		for _, over := range []medium{shm, tcp} {
			group := work + ", " + names[over]
			cells = append(cells, best(r, group, ours, ", processes", &unit))
			if over == shm {
				cells = append(cells, best(r, group, ours, ", one process", &unit))
			}
			cells = append(cells, best(r, group, "MPI", "", &unit),
				best(r, group, "HPCC", "", &unit)+best(r, group, "PBGL", "", &unit))
		}
		t.Row(slices.Insert(cells, 0, any(work+": "+unit))...)
	}
	return fmt.Sprintf("Medians of %d alternating runs on %s, the fastest algorithm of each peer, on this machine:\n"+
		"%v.\n\n%s", r.Repeats, r.Date.Format("2006-01-02"), r.Machine, t)
}

// best returns the best median of the rows of a group whose names have a prefix and a suffix. It sets the unit.
func best(r lab.Results, group, who, how string, unit *string) string {
	found := 0.0
	for _, g := range r.Groups {
		for _, one := range g.Results {
			isOf := strings.HasPrefix(one.Name, group+": "+who) && strings.HasSuffix(one.Name, how)
			if g.Name != group || !isOf {
				continue
			}
			*unit = one.Unit
			is, faster := one.Summary().Median, func(a, b float64) bool { return a > b }
			if one.Lower {
				faster = func(a, b float64) bool { return a < b }
			}
			if found == 0 || faster(is, found) {
				found = is
			}
		}
	}
	if found == 0 {
		return ""
	}
	return lab.Digits(found)
}
