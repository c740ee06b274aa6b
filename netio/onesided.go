package netio

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/frame"
)

// Address is the address of a byte of exposed memory. It is plain data, and may travel in pebbles. The zero value is no
// address.
type Address struct {
	Process uint32 // the process that has exposed the memory
	Key     uint64 // of one call of Expose; a process uses a key once
	Offset  uint64 // of the byte in the exposed memory
}

// Plus returns the address that is bytes further on.
func (a Address) Plus(bytes int) Address {
	a.Offset += uint64(bytes)
	return a
}

func (a Address) String() string {
	return fmt.Sprintf("byte %d of memory %d.%d of process %d", a.Offset, a.Key&(1<<32-1), a.Key>>32, a.Process)
}

// OneSided is a rank's access to exposed memory: that of its own process, and that of all other processes. The process
// that has exposed it need not attend, and its ranks pay nothing. All methods are for the rank's goroutine.
//
// Put, Get, Add, Swap, CompareAndSwap and Fence begin an operation and never block. The [Completion] of an operation
// counts it until it is done. The rank learns of the end while it receives, pauses or waits at its port; operations on
// mapped memory are done at once. Operations leave together: those that the rank begins before it next pauses, waits or
// receives nothing.
//
// Until an operation is done, the memory that it reads or writes belongs to it. Operations have no order, except that
// Fence gives one and that an operation follows those that were done before it began. An aligned word, of 8 bytes, is
// never torn; longer transfers may be seen in parts. Add, Swap and CompareAndSwap are for aligned words: they are
// atomic with each other and with the functions of sync/atomic at the owner.
//
// An operation fails if its address is bad or withdrawn, or belongs to a lost process. Then it has written nothing that
// others can reach or, if it is longer than 32 KiB, only some parts. The Completion has its error, an [AddressError].
type OneSided interface {
	// Expose gives the process zeroed memory that others can reach. The memory begins on a page, is not part of the Go
	// heap, and is good until it is withdrawn or the rank's function has returned. Its pages are allocated when they are
	// first touched. The call costs some microseconds.
	Expose(bytes int) (Address, []byte, error)
	// Withdraw withdraws the memory of an earlier Expose of this process; a may be the address of any of its bytes. The
	// contents are gone. Operations on the memory fail, or are done before; none reaches memory that is exposed later in
	// the same place.
	Withdraw(a Address) error
	// Near returns n bytes of exposed memory if they are this process's or mapped from this host, and else nil. The slice
	// is good until they are withdrawn. Use sync/atomic for words that others may write at the same time.
	Near(a Address, n int) ([]byte, error)
	// Put copies src to exposed memory. Once it is done, src may be used again; all ranks see the bytes once the next
	// fence is done.
	Put(a Address, src []byte, c *Completion)
	// Get copies exposed memory to dst.
	Get(a Address, dst []byte, c *Completion)
	// Add adds n to a word, and stores the word's earlier value to old, unless old is nil.
	Add(a Address, n uint64, old *uint64, c *Completion)
	// Swap sets a word, and stores its earlier value to old, unless old is nil.
	Swap(a Address, with uint64, old *uint64, c *Completion)
	// CompareAndSwap sets a word if it is equal to expect. It stores the word's earlier value to old, unless old is nil.
	CompareAndSwap(a Address, expect, with uint64, old *uint64, c *Completion)
	// Fence ends when all operations that this rank began before it are done and visible to all ranks.
	Fence(c *Completion)
	// Open returns the number of operations of this rank that are not done, or not visible to all ranks. It costs a load.
	Open() int
}

// Completion counts operations that are not done. The zero value is ready, and several operations may share one. It is
// for the goroutine of its rank.
type Completion struct {
	open int
	err  error
	done func()
}

// Done reports whether all operations are done, or have failed.
func (c *Completion) Done() bool { return c.open == 0 }

// Err is the error of the first operation that has failed since the last Reset.
func (c *Completion) Err() error { return c.err }

// Reset forgets errors. It is for a completion that is done.
func (c *Completion) Reset() { c.err = nil }

// Then registers f. It is called when the last open operation is done, at the rank's port; never for operations that
// were done at once. f must not use the port.
func (c *Completion) Then(f func()) { c.done = f }

// Inside returns the methods of a completion for the transports of this module.
func (c *Completion) Inside(frame.Access) *insideCompletion { return (*insideCompletion)(c) }

// insideCompletion has the methods of a completion for transports.
type insideCompletion Completion

// Begin counts n operations that are not done at once.
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
	Rank    int    // the rank that began the operation
	Call    string // such as "Put"
	Address Address
	Bytes   int
	Cause   error
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("rank %d: %s of %d bytes at %v: %v", e.Rank, e.Call, e.Bytes, e.Address, e.Cause)
}

func (e *AddressError) Unwrap() error { return e.Cause }
