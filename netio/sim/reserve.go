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

// reserved is how much memory has huge pages in view, in this process.
var reserved struct {
	sync.Mutex
	bytes int64
}

// reserve has the memory that so many ranks will take backed by huge pages. Each turn goes to another rank, whose stack, frames
// and lanes nobody has touched for a while: with small pages each of these misses the TLB too, which took a fifth of the time.
// Go's heap can't be told, so this asks for memory, gives the advice, and lets go of it untouched: the heap gives it
// to the ranks afterwards, with the advice, since freed memory is used first. Until then it takes no room. Half of the memory that is available
// at the most.
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
