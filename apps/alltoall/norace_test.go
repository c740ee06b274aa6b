//go:build !race

package alltoall

const raceDetector = false
