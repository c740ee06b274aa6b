//go:build !linux

package lab

// TimeSlice returns 0 for unknown, since this system cannot bind threads to a core.
func TimeSlice(int) float64 { return 0 }
