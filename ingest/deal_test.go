package ingest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawFiles draws files of all kinds.
func drawFiles(r *rand.Rand) (files []file, largest int64) {
	for range r.IntN(12) {
		f := file{Size: int64(r.IntN(1000))}
		gap := f.Size // between cuts
		switch r.IntN(3) {
		case 0:
			f.Kind = gzipped
		case 1:
			f.Cuts, gap = []int64{}, 0
			last := int64(0)
			for at := int64(r.IntN(100) + 1); at < f.Size; at += int64(r.IntN(100) + 1) {
				f.Cuts = append(f.Cuts, at)
				gap, last = max(gap, at-last), at
			}
			gap = max(gap, f.Size-last)
		default:
			gap = 1
		}
		files, largest = append(files, f), max(largest, gap)
	}
	return files, largest
}

// Every byte is assigned once, and files are cut only where allowed. No rank has more than a fair share plus the
// largest part that cannot be cut.
func TestDeal(t *testing.T) {
	r := random(t)
	for range 4000 {
		files, largest := drawFiles(r)
		ranks := 1 + r.IntN(9)
		total, next := int64(0), make([]int64, len(files))
		for _, f := range files {
			total += f.Size
		}
		all := deal(files, ranks)
		require.Len(t, all, ranks)
		for _, f := range slices.Concat(all...) { // pieces of one file in order
			require.Equal(t, next[f.file], f.from, "%v %v", files, all)
			require.Less(t, f.from, f.to)
			next[f.file] = f.to
			at := files[f.file]
			require.True(t, f.to == at.Size || at.anywhere() || slices.Contains(at.Cuts, f.to), "%v %v", files, all)
		}
		for i, f := range files {
			require.Equal(t, f.Size, next[i], "%v %v", files, all)
		}
		for _, pieces := range all {
			load := int64(0)
			for _, p := range pieces {
				load += p.to - p.from
			}
			require.LessOrEqual(t, load, total/int64(ranks)+1+2*largest, "%v %v", files, all)
		}
	}
}

// The largest files that cannot be cut go to different ranks, and plain ones fill the other ranks.
func TestDealWhole(t *testing.T) {
	gz := func(size int64) file { return file{Size: size, Kind: gzipped} }
	all := deal([]file{gz(10), gz(50), {Size: 30}, gz(40), gz(20)}, 3)
	require.Equal(t, [][]piece{{{1, 0, 50}}, {{2, 0, 10}, {3, 0, 40}}, {{0, 0, 10}, {2, 10, 30}, {4, 0, 20}}}, all)
}
