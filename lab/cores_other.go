//go:build !linux

package lab

import "runtime"

// twoCores reports whether Go uses two cores. This system cannot name them.
func twoCores() (first, second int, ok bool) {
	return 0, 1, min(runtime.GOMAXPROCS(0), runtime.NumCPU()) >= 2
}

func bind(int) {}
