//go:build race

package termination_test

// raceDetector tells that these tests run about ten times slower.
const raceDetector = true
