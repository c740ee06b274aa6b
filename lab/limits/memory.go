//go:build unix

package limits

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// memory allocates words, in huge pages if huge is set and the system has them; free releases them.
func memory(words int, huge bool) (_ []uint64, free func(), err error) {
	if !huge {
		return make([]uint64, words), func() {}, nil
	}
	size := (8*words + hugePage - 1) / hugePage * hugePage
	memory, err := unix.Mmap(-1, 0, size+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("no memory for %d words: %w; give fewer", words, err)
	}
	first := unsafe.Pointer(unsafe.SliceData(memory))
	skip := -uintptr(first) % hugePage
	adviseHuge(memory[skip : skip+uintptr(size)])
	return unsafe.Slice((*uint64)(unsafe.Add(first, skip)), words), func() { _ = unix.Munmap(memory) }, nil
}
