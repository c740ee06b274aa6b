package model

import "math"

// ReductionPays reports whether a cache pays for itself on the wire alone: h·G > c, for the hit rate of one look, the seconds that a
// pebble takes to travel, and those of a look (Active Pebbles, section 3.5). What it saves at the owner comes on top.
func ReductionPays(hit, travel, look float64) bool { return hit*travel > look }

// ReducedTravel is the time of a pebble behind a cache: c + (1-h)G in place of G (Active Pebbles, section 3.5).
func ReducedTravel(hit, travel, look float64) float64 { return look + (1-hit)*travel }

// HitRate is that of several caches on a route together, if each hits by itself: 1 - (1-h)^n, with n = log2 P on a hypercube
// (Active Pebbles, section 3.5).
func HitRate(hit, caches float64) float64 { return 1 - math.Pow(1-hit, caches) }

// travelling is the part of hops that pebbles still make when a cache before each hop merges a part h of them: the mean of
// (1-h)^j over the hops j of a route.
func travelling(hit, hops float64) float64 {
	if hit == 0 || hops == 0 {
		return 1
	}
	keep := 1 - hit
	return keep * (1 - math.Pow(keep, hops)) / (hit * hops)
}
