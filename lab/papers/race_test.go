//go:build race

package main

// raceDetector reports whether these tests run about twenty times slower.
const raceDetector = true
