//go:build !race

package ofi

const raceDetector = false
