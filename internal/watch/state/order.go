package state

import (
	"cmp"
	"slices"
)

func largestFirst(groups [][]Rank) {
	slices.SortStableFunc(groups, func(a, b []Rank) int { return cmp.Compare(len(b), len(a)) })
}

// Fullest returns the fullest links, at most LinksMost, in descending order. It reorders its argument.
func Fullest(all []Link) []Link {
	slices.SortStableFunc(all, func(a, b Link) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all[:min(len(all), LinksMost)]
}

func fullest(all []Held) []Held {
	slices.SortStableFunc(all, func(a, b Held) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all[:min(len(all), LinksMost)]
}
