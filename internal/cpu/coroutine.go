package cpu

import "unsafe"

// Coroutine says where the processor finds what a switch to a suspended coroutine of iter.Pull touches. Of ten thousand
// coroutines nothing is in a near cache, and a switch waits for a dozen lines, one after the other; prefetched some
// switches ahead, they come together. Nothing here depends on what lies at those addresses: the runtime's records may
// change, and stacks may move.
type Coroutine struct {
	g        uintptr    // the runtime's record of its goroutine
	stack    uintptr    // the end of its stack when it was suspended last, about
	resume   uintptr    // the function that resumes it
	captured [2]uintptr // the first words that function has captured
	yield    uintptr    // the function that suspends it
	awaited  uintptr    // what it will look at when it goes on
}

const (
	line        = 64
	recordBytes = 7 * line // of the runtime's record, as far as switches touch it
	calleeBytes = 4 * line // of stack, for what it calls first
	callerBytes = 8 * line // of stack, of what it returns to
)

// Settle notes the goroutine that calls, which is the coroutine's, and its function that suspends it.
func (c *Coroutine) Settle(yield func(struct{}) bool) {
	c.g = goroutine()
	c.yield = *(*uintptr)(unsafe.Pointer(&yield))
}

// Resume notes the function that resumes the coroutine.
func (c *Coroutine) Resume(f func() (struct{}, bool)) {
	c.resume = *(*uintptr)(unsafe.Pointer(&f))
	c.captured[0], c.captured[1] = captured(c.resume)
}

// Awaits notes what the coroutine will look at first when it goes on.
func (c *Coroutine) Awaits(at unsafe.Pointer) { c.awaited = uintptr(at) }

// Suspends notes where the stack ends. It comes before each switch away from the coroutine.
func (c *Coroutine) Suspends() {
	var here byte
	c.stack = uintptr(unsafe.Pointer(&here))
}

// Prefetch prefetches what the next switch to the coroutine touches.
func (c *Coroutine) Prefetch() {
	prefetchAt(c.resume, 1)
	prefetchAt(c.captured[0], 1)
	prefetchAt(c.captured[1], 1)
	prefetchAt(c.yield, 1)
	prefetchAt(c.awaited, 2*line)
	prefetchAt(c.g, recordBytes)
	prefetchAt(c.stack-calleeBytes, calleeBytes+callerBytes)
}
