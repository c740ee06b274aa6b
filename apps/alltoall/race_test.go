//go:build race

package alltoall

// raceDetector tells that these tests run about ten times slower.
const raceDetector = true
