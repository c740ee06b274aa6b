package main

import (
	"math"
	"slices"

	"github.com/activepebbles/pebbles/route"
)

// grid lays the ranks out in rows and columns; the last row may be shorter. A rank sends to the ranks of its row and of
// its column.
//
// Guarantees: at most two hops; about 2√P neighbours.
type grid struct{ ranks, columns int }

func square(ranks int) route.Topology { return grid{ranks, int(math.Ceil(math.Sqrt(float64(ranks))))} }
func (g grid) Name() string           { return "grid" }
func (g grid) Ranks() int             { return g.ranks }

func (g grid) Neighbors(at int) []int {
	apart := func(other int) bool { return other/g.columns != at/g.columns && other%g.columns != at%g.columns }
	return slices.DeleteFunc(route.Direct(g.ranks).Neighbors(at), apart)
}

// Next goes along the row first. If that leads nowhere, because the column is right already or the last row is too
// short, it goes along the column.
func (g grid) Next(at, dest int) int {
	if across := at - at%g.columns + dest%g.columns; across != at && across < g.ranks {
		return across
	}
	return dest - dest%g.columns + at%g.columns
}
