//go:build race

package sim_test

// raceDetector tells that these tests run about twenty times slower.
const raceDetector = true
