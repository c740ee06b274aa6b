package stressmark

import (
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
)

// stream is what random numbers are for.
type stream uint64

const (
	forWords stream = iota + 1
	forStarts
	forStops
	forBytes
	forTokens
	forLengths
	forLines
)

// draw is the i-th number of a stream, less than n.
func draw(seed uint64, s stream, i, n uint64) uint64 {
	v, _ := bits.Mul64(apps.Fold(apps.Fold(seed, uint64(s)), apps.Fold(i, uint64(s))), n)
	return v
}
