//go:build race

package sim_test

// raceDetector reports whether these tests run about twenty times slower.
const raceDetector = true
