//go:build !race

package local

// Published is for the race detector.
func Published() {}

// Observed is for the race detector.
func Observed() {}
