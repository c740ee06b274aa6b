package reduce

import (
	"fmt"
	"os"
	"sync/atomic"
)

var (
	harm     = os.Getenv("HARM")
	harmDone atomic.Bool
)

// spoil harms the output of a cache, once.
func (c *Cache[V]) spoil(out int) int {
	if out == 0 || harm != "lost in the cache" && harm != "merges counted wrongly" ||
		!harmDone.CompareAndSwap(false, true) {
		return out
	}
	fmt.Fprintln(os.Stderr, "harm is done")
	if harm == "merges counted wrongly" {
		c.merged++
		return out
	}
	return out - 1
}
