//go:build !linux

package lab

// TimeSlice is 0, which is not known, where threads can't be bound to a core.
func TimeSlice(int) float64 { return 0 }
