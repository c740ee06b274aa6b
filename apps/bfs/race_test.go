//go:build race

package bfs

// raceDetector tells that these tests run about ten times slower.
const raceDetector = true
