//go:build !race

package termination_test

const raceDetector = false
