//go:build !race

package bfs

const raceDetector = false
