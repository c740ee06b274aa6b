package model

import "math"

// HitRate is that of several caches on a route together, if each hits by itself: 1 - (1-h)^n, with n = log2 P on a
// hypercube (Active Pebbles, section 3.5).
func HitRate(hit, caches float64) float64 { return 1 - math.Pow(1-hit, caches) }

// travelling is the part of hops that pebbles still make when a cache before each hop merges a part h of them: the mean
// of (1-h)^j over the hops j of a route.
func travelling(hit, hops float64) float64 {
	if hit == 0 || hops == 0 {
		return 1
	}
	keep := 1 - hit
	return keep * (1 - math.Pow(keep, hops)) / (hit * hops)
}
