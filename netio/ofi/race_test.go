//go:build race

package ofi

// raceDetector reports whether these tests run under the race detector.
const raceDetector = true
