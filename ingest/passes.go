package ingest

import (
	"cmp"
	"slices"

	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
)

// passed is a scanned piece and the result of the scan.
type passed[M any] struct {
	Piece [3]int64 // file, from, to
	Made  M
}

// passOver gives each rank the results of scans before its pieces, in formats where the meaning of a record depends on
// earlier ones. Each rank scans its pieces that are not the last of their file. Then begin gets, for each piece of this
// rank, the results of the earlier pieces of its file, in order. It is collective. M is plain data.
func passOver[M any](in *input, pass func(p piece) (M, error), begin func(p piece, before []M)) error {
	own, err := passedBy(in, pass)
	if err := dataset.Agree(in.rank, err); err != nil {
		return err
	}
	lists, err := pebble.AllGatherSlice(in.rank, own)
	if err != nil {
		return err
	}
	var all []passed[M]
	for _, member := range in.all {
		all = append(all, lists[member]...)
	}
	slices.SortFunc(all, func(a, b passed[M]) int { return slices.Compare(a.Piece[:], b.Piece[:]) })
	for _, p := range in.mine() {
		at, _ := slices.BinarySearchFunc(all, int64(p.file), func(a passed[M], file int64) int {
			return cmp.Compare(a.Piece[0], file)
		})
		var before []M
		for ; at < len(all) && all[at].Piece[0] == int64(p.file) && all[at].Piece[1] < p.from; at++ {
			before = append(before, all[at].Made)
		}
		begin(p, before)
	}
	return nil
}

// passedBy scans this rank's pieces.
func passedBy[M any](in *input, pass func(p piece) (M, error)) (all []passed[M], err error) {
	for _, p := range in.mine() {
		if p.to == in.files[p.file].Size {
			continue
		}
		made, err := pass(p)
		if err != nil {
			return nil, err
		}
		all = append(all, passed[M]{[3]int64{int64(p.file), p.from, p.to}, made})
	}
	return all, nil
}
