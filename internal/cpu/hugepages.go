package cpu

// HugePages asks the system to back memory by huge pages, so that random accesses to large tables miss the TLB less
// often. It is advice: it never fails, and changes only speed. The memory should be fresh: touched pages stay small for
// a while. It costs a system call; later the first access to each 2 MiB fills all of them.
func HugePages(memory []byte) {
	if len(memory) >= hugePageBytes {
		adviseHuge(memory)
	}
}

const hugePageBytes = 2 << 20
