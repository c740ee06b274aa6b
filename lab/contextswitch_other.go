//go:build !linux

package lab

// ContextSwitch returns 0, since this system cannot bind threads to a core.
func ContextSwitch(int) (float64, error) { return 0, nil }
