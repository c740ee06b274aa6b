package shm

import (
	"sync"

	"github.com/activepebbles/pebbles/internal/frame"
)

// arena allocates the part of this process's shared memory that holds frames. Ranks come here only when their pools
// have no frame of a size, which is rare. Freed memory keeps its size class and loses its pages.
type arena struct {
	mu   sync.Mutex
	mem  []byte
	used int
	free [frame.ClassCount][][]byte // by class
}

// alloc returns memory for a frame of n bytes in total, or nil when the arena is full.
func (a *arena) alloc(n int) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	free := &a.free[frame.ClassOf(n-frame.HeaderRoom)]
	if last := len(*free) - 1; last >= 0 {
		mem := (*free)[last]
		*free = (*free)[:last]
		return mem
	}
	if n > len(a.mem)-a.used {
		return nil
	}
	mem := a.mem[a.used : a.used+n : a.used+n]
	a.used += n
	return mem
}

// release takes back memory of alloc. It ignores other memory.
func (a *arena) release(r *region, mem []byte) {
	offset, ok := r.find(mem)
	if !ok {
		return
	}
	dropPages(wholePages(a.mem, int(offset), len(mem)))
	a.mu.Lock()
	defer a.mu.Unlock()
	c := frame.Class(mem)
	a.free[c] = append(a.free[c], mem)
}

// wholePages returns the part of mem[offset:offset+n] that fills whole pages.
func wholePages(mem []byte, offset, n int) []byte {
	from, to := roundUp(offset, pageRoom), (offset+n)/pageRoom*pageRoom
	if from >= to {
		return nil
	}
	return mem[from:to]
}
