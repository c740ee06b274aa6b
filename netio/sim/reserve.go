package sim

import (
	"runtime"
	"sync"

	"github.com/activepebbles/pebbles/internal/cpu"
)

const (
	reserveFrom = 2048      // ranks, from which on their memory is larger than the processor's caches and its TLB reach
	reserveEach = 112 << 10 // bytes, what a rank of a routed job with two targets was seen to take, at 65,536 ranks
)

// reserved is the memory of this process that was advised to use huge pages.
var reserved struct {
	sync.Mutex
	bytes int64
}

// reserve backs the memory that the ranks will use with huge pages. Each turn goes to another rank, whose stack, frames
// and lanes are cold: with small pages each of them misses the TLB too, which took a fifth of the time. Go's heap has
// no such option, so reserve allocates memory, gives the advice, and frees it untouched: the heap reuses freed memory
// first, with the advice, for the ranks. Until then no page is in use. It reserves at most half of the available
// memory.
func reserve(ranks int) {
	if ranks < reserveFrom {
		return
	}
	reserved.Lock()
	defer reserved.Unlock()
	bytes := min(int64(ranks)*reserveEach, cpu.MemoryAvailable()/2) - reserved.bytes
	if bytes <= 0 {
		return
	}
	reserved.bytes += bytes
	cpu.HugePages(make([]byte, bytes))
	runtime.GC() // frees it before it counts as what the program needs, by which the collector would pace itself
}
