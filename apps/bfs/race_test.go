//go:build race

package bfs

// raceDetector reports whether these tests run about ten times slower.
const raceDetector = true
