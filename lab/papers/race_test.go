//go:build race

package main

// raceDetector reports whether the race detector makes these tests about twenty times slower.
const raceDetector = true
