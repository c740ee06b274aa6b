//go:build !linux

package fit

// ProcessSwitch is that of goroutines, since threads can't be bound to a core here.
func ProcessSwitch(repeats int) (float64, error) { return Switch(repeats), nil }
