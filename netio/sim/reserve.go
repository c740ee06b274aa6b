package sim

import (
	"runtime"
	"sync"

	"github.com/activepebbles/pebbles/internal/cpu"
)

const (
	reserveFrom = 2048      // ranks; from this number, their memory exceeds the processor's caches and its TLB reach
	reserveEach = 112 << 10 // bytes; measured for a rank of a routed job with two targets, at 65,536 ranks
)

// reserved is the memory of this process that was advised to use huge pages.
var reserved struct {
	sync.Mutex
	bytes int64
}

// reserve backs the future memory of the ranks with huge pages. Each turn goes to another rank, whose stack, frames and
// lanes are cold. With small pages, each of them also misses the TLB, which took a fifth of the time. Go's heap has no
// such option, so reserve allocates memory, gives the advice, and frees it untouched: the heap reuses freed memory
// first, with the advice, for the ranks. No page is in use until then. reserve takes at most half of the available
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
	runtime.GC() // frees it before the collector's pacing counts it as live
}
