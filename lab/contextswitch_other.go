//go:build !linux

package lab

// ContextSwitch is 0 where threads can't be bound to a core.
func ContextSwitch(int) (float64, error) { return 0, nil }
