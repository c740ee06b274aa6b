package lab

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// twoCores returns the first two cores that this process may use, if Go uses two.
func twoCores() (first, second int, ok bool) {
	var set unix.CPUSet
	if runtime.GOMAXPROCS(0) < 2 || unix.SchedGetaffinity(0, &set) != nil || set.Count() < 2 {
		return 0, 0, false
	}
	for first = 0; !set.IsSet(first); first++ {
	}
	for second = first + 1; !set.IsSet(second); second++ {
	}
	return first, second, true
}

// bind binds this thread to a core, if the system permits it.
func bind(core int) {
	var set unix.CPUSet
	set.Set(core)
	_ = unix.SchedSetaffinity(0, &set)
}
