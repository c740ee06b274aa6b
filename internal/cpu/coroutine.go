package cpu

import "unsafe"

// Coroutine has the addresses that a switch to a suspended coroutine of iter.Pull touches. With ten thousand coroutines
// none of these is in a near cache, and a switch waits for a dozen lines, one after the other; prefetched some switches
// ahead, they arrive together. Results don't depend on the contents of those addresses: the runtime's records may
// change, and stacks may move.
type Coroutine struct {
	g        uintptr    // the runtime's record of its goroutine
	stack    uintptr    // approximate end of its stack at the last suspension
	resume   uintptr    // function that resumes it
	captured [2]uintptr // first words captured by that function
	yield    uintptr    // function that suspends it
	awaited  uintptr    // first data that it will read
}

const (
	line        = 64
	recordBytes = 7 * line // part of the runtime's record that switches touch
	calleeBytes = 4 * line // of stack, for the next calls
	callerBytes = 8 * line // of stack, for the returns
)

// Settle records the calling goroutine, which belongs to the coroutine, and its function that suspends it.
func (c *Coroutine) Settle(yield func(struct{}) bool) {
	c.g = goroutine()
	c.yield = *(*uintptr)(unsafe.Pointer(&yield))
}

// Resume records the function that resumes the coroutine.
func (c *Coroutine) Resume(f func() (struct{}, bool)) {
	c.resume = *(*uintptr)(unsafe.Pointer(&f))
	c.captured[0], c.captured[1] = captured(c.resume)
}

// Awaits records the data that the coroutine will read first.
func (c *Coroutine) Awaits(at unsafe.Pointer) { c.awaited = uintptr(at) }

// Suspends records the end of the stack. Call it before each switch away from the coroutine.
func (c *Coroutine) Suspends() {
	var here byte
	c.stack = uintptr(unsafe.Pointer(&here))
}

// Prefetch prefetches the memory that the next switch to the coroutine touches.
func (c *Coroutine) Prefetch() {
	prefetchAt(c.resume, 1)
	prefetchAt(c.captured[0], 1)
	prefetchAt(c.captured[1], 1)
	prefetchAt(c.yield, 1)
	prefetchAt(c.awaited, 2*line)
	prefetchAt(c.g, recordBytes)
	prefetchAt(c.stack-calleeBytes, calleeBytes+callerBytes)
}
