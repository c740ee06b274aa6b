package netio

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/frame"
)

// Address is the address of a byte of exposed memory. It is plain data and may travel in pebbles. Zero is no address.
type Address struct {
	Process uint32 // process that has exposed the memory
	Key     uint64 // of one call of Expose; a process uses each key once
	Offset  uint64 // of the byte in the exposed memory
}

// Plus returns the address the given number of bytes further on.
func (a Address) Plus(bytes int) Address {
	a.Offset += uint64(bytes)
	return a
}

func (a Address) String() string {
	return fmt.Sprintf("byte %d of memory %d.%d of process %d", a.Offset, a.Key&(1<<32-1), a.Key>>32, a.Process)
}

// OneSided is a rank's access to exposed memory of its own process and of all other processes. The exposing process
// need not attend, and its ranks pay nothing. All methods are for the rank's goroutine.
//
// Put, Get, Add, Swap, CompareAndSwap and Fence begin an operation and never block. The [Completion] of an operation
// counts it until it is done. The rank notices the end while it receives, pauses or waits at its port. Operations on
// mapped memory are done immediately. Operations leave together: those that the rank begins before it next pauses,
// waits or receives nothing.
//
// Until an operation is done, the memory that it reads or writes belongs to it. Operations have no order, except by
// Fence, and except that an operation follows those that were done before it began. An aligned word of 8 bytes is never
// torn; longer transfers may become visible in parts. Add, Swap and CompareAndSwap are for aligned words. They are
// atomic with each other and with the functions of sync/atomic at the owner.
//
// An operation fails if its address is invalid or withdrawn, or belongs to a lost process. It has then written nothing
// that others can reach or, if it is longer than 32 KiB, only some parts. The Completion has its error, an
// [AddressError].
type OneSided interface {
	// Expose allocates zeroed memory that other processes can reach. The memory begins on a page, lies outside the Go
	// heap, and is valid until it is withdrawn or the rank's function has returned. Its pages are allocated at their
	// first touch. The call costs some microseconds.
	Expose(bytes int) (Address, []byte, error)
	// Withdraw withdraws the memory of an earlier Expose of this process; a may be any of its addresses. The contents
	// are lost. Operations on the memory fail, or finish first; none reaches memory that is later exposed there.
	Withdraw(a Address) error
	// Near returns n bytes of exposed memory if they belong to this process or are mapped from this host, or else nil.
	// The slice is valid until the withdrawal. Use sync/atomic for words that others may write at the same time.
	Near(a Address, n int) ([]byte, error)
	// Put copies src to exposed memory. Once it is done, src may be reused. All ranks see the bytes after a fence.
	Put(a Address, src []byte, c *Completion)
	// Get copies exposed memory to dst.
	Get(a Address, dst []byte, c *Completion)
	// Add adds n to a word, and stores the word's earlier value in old, unless old is nil.
	Add(a Address, n uint64, old *uint64, c *Completion)
	// Swap sets a word, and stores its earlier value in old, unless old is nil.
	Swap(a Address, with uint64, old *uint64, c *Completion)
	// CompareAndSwap sets a word if it is equal to expect. It stores the earlier value in old, unless old is nil.
	CompareAndSwap(a Address, expect, with uint64, old *uint64, c *Completion)
	// Fence ends when all operations that this rank began before it are done and visible to all ranks.
	Fence(c *Completion)
	// Open returns the number of this rank's operations that are not done or not visible to all ranks. It costs a load.
	Open() int
}

// Completion counts unfinished operations. The zero value is ready, and several operations may share one. It is for the
// goroutine of its rank.
type Completion struct {
	open int
	err  error
	done func()
}

// Done reports whether all operations are done, or have failed.
func (c *Completion) Done() bool { return c.open == 0 }

// Err returns the error of the first operation that has failed since the last Reset.
func (c *Completion) Err() error { return c.err }

// Reset clears the error. It is for a completion that is done.
func (c *Completion) Reset() { c.err = nil }

// Then registers f. The rank's port calls f when the last open operation is done, but never for operations that were
// done immediately. f must not use the port.
func (c *Completion) Then(f func()) { c.done = f }

// Inside returns the methods of a completion for the transports of this module.
func (c *Completion) Inside(frame.Access) *insideCompletion { return (*insideCompletion)(c) }

// insideCompletion has the methods of a completion for transports.
type insideCompletion Completion

// Begin counts n operations that are not done immediately.
func (c *insideCompletion) Begin(n int) { c.open += n }

// End ends n operations. A non-nil err is their error.
func (c *insideCompletion) End(n int, err error) {
	c.Fail(err)
	if c.open -= n; c.open == 0 && c.done != nil {
		c.done()
	}
}

// Fail keeps err if it is the first error.
func (c *insideCompletion) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// AddressError is the error of an operation on exposed memory.
type AddressError struct {
	Rank    int    // rank that began the operation
	Call    string // such as "Put"
	Address Address
	Bytes   int
	Cause   error
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("rank %d: %s of %d bytes at %v: %v", e.Rank, e.Call, e.Bytes, e.Address, e.Cause)
}

func (e *AddressError) Unwrap() error { return e.Cause }
