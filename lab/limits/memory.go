//go:build unix

package limits

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// memory makes room for words, in huge pages when asked; free gives it back.
func memory(words int, huge bool) (_ []uint64, free func(), err error) {
	if huge {
		return hugeWords(words)
	}
	return make([]uint64, words), func() {}, nil
}

// hugeWords asks the system for memory in huge pages where it has them; elsewhere it is memory like any other.
func hugeWords(words int) (_ []uint64, free func(), err error) {
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
