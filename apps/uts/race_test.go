//go:build race

package uts

// raceDetector reports whether these tests run about ten times slower.
const raceDetector = true
