package netio

// HugePages asks the system to back memory by huge pages, where it can, so that random accesses to large tables miss the
// TLB less often. It is advice: nothing fails, and nothing is different but the speed. The memory should be fresh; what has
// been touched already stays as it is for a while. It costs a system call, and later accesses fill 2 MiB at a time.
func HugePages(memory []byte) {
	if len(memory) >= hugePageBytes {
		adviseHuge(memory)
	}
}

const hugePageBytes = 2 << 20
