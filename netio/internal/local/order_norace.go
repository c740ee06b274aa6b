//go:build !race

package local

// Published does nothing without the race detector.
func Published() {}

// Observed does nothing without the race detector.
func Observed() {}
