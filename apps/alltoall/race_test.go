//go:build race

package alltoall

// raceDetector reports whether these tests run about ten times slower.
const raceDetector = true
