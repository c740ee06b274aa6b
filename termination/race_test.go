//go:build race

package termination_test

// raceDetector reports whether these tests run about ten times slower.
const raceDetector = true
