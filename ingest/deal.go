package ingest

import (
	"cmp"
	"math"
	"slices"
)

// deal assigns pieces of files to ranks. Files that cannot be cut are assigned whole, the largest first, each to the
// rank with the smallest load. The others, in a row, fill all ranks up to one level, as far as their cuts allow. The
// pieces of a rank are in the order of files.
func deal(files []file, ranks int) [][]piece {
	all, loads := make([][]piece, ranks), make([]int64, ranks)
	var whole, divided []int
	for i := range files {
		switch f := &files[i]; {
		case f.Size == 0:
		case f.anywhere() || len(f.Cuts) > 0:
			divided = append(divided, i)
		default:
			whole = append(whole, i)
		}
	}
	slices.SortStableFunc(whole, func(a, b int) int { return cmp.Compare(files[b].Size, files[a].Size) })
	for _, i := range whole {
		least := slices.Index(loads, slices.Min(loads))
		all[least] = append(all[least], piece{i, 0, files[i].Size})
		loads[least] += files[i].Size
	}
	fill(files, divided, all, loads)
	for _, pieces := range all {
		slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.file, b.file) })
	}
	return all
}

// fill assigns the files that can be cut.
func fill(files []file, divided []int, all [][]piece, loads []int64) {
	total := int64(0)
	for _, i := range divided {
		total += files[i].Size
	}
	full := level(loads, total)
	rank, room := 0, max(full-loads[0], 0)
	given, wanted := int64(0), room // bytes assigned so far, and the target for the ranks up to this one
	for _, i := range divided {
		f := &files[i]
		for from := int64(0); from < f.Size; {
			to := f.nearest(from, from+wanted-given)
			if rank == len(all)-1 {
				to = f.Size
			}
			if to > from {
				all[rank] = append(all[rank], piece{i, from, to})
			}
			given, from = given+to-from, to
			if from < f.Size || given >= wanted && rank < len(all)-1 {
				rank++
				wanted += max(full-loads[rank], 0)
			}
		}
	}
}

// level returns the level of the loads after total is filled in from the lowest load up.
func level(loads []int64, total int64) int64 {
	sorted := slices.Sorted(slices.Values(loads))
	below := int64(0)
	for i, load := range sorted {
		below += load
		next := int64(math.MaxInt64)
		if i+1 < len(sorted) {
			next = sorted[i+1]
		}
		n := int64(i + 1)
		if high := (total + below + n - 1) / n; high <= next {
			return high
		}
	}
	return 0 // not reached: the last next is above all
}

// nearest returns the cut that is nearest to the wanted one, at from or behind it.
func (f *file) nearest(from, wanted int64) int64 {
	wanted = min(max(wanted, from), f.Size)
	if f.anywhere() {
		return wanted
	}
	i, _ := slices.BinarySearch(f.Cuts, wanted)
	after, before := f.Size, from
	if i < len(f.Cuts) {
		after = f.Cuts[i]
	}
	if i > 0 {
		before = max(from, f.Cuts[i-1])
	}
	if wanted-before < after-wanted {
		return before
	}
	return after
}
