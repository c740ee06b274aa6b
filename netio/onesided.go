package netio

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/frame"
)

// Address is where a byte of exposed memory is. It is plain data, and may travel in pebbles. The zero value is no
// address.
type Address struct {
	Process uint32 // that has exposed it
	Key     uint64 // of what it has exposed at once; it never has the same key again
	Offset  uint64 // of the byte in that
}

// Plus is the address so many bytes further on.
func (a Address) Plus(bytes int) Address {
	a.Offset += uint64(bytes)
	return a
}

func (a Address) String() string {
	return fmt.Sprintf("byte %d of memory %d.%d of process %d", a.Offset, a.Key&(1<<32-1), a.Key>>32, a.Process)
}

// OneSided is a rank's access to exposed memory: its own, and that of all other processes. The process that has exposed
// it need not attend, and its ranks pay nothing. All methods are for the rank's goroutine.
//
// Put, Get, Add, Swap, CompareAndSwap and Fence never block. Each begins an operation and returns. The [Completion]
// that it was given counts it until it is done, which the rank learns while it receives, pauses or waits at its port;
// what is near is done at once. Operations leave together: those that the rank begins before it next receives in vain,
// pauses or waits.
//
// Until an operation is done, the memory that it reads or writes belongs to it. Operations have no order, but for what
// Fence says and for what begins after another one was done. An aligned word, of 8 bytes, is never torn; longer
// transfers may be seen in parts. Add, Swap and CompareAndSwap are for aligned words: they are atomic with each other
// and with the functions of sync/atomic at the owner.
//
// An operation that fails has written nothing that others can reach, or, when it is longer than 32 KiB, only some
// parts; the Completion has its error, an [AddressError]. So it is for addresses that are bad, withdrawn, or of a
// process that is lost.
type OneSided interface {
	// Expose gives the process memory that others can reach: bytes that are zero, begin on a page, and are not Go's. It
	// is good until it is withdrawn, or the rank's function has returned. Pages take memory when they are first
	// touched. It costs some microseconds.
	Expose(bytes int) (Address, []byte, error)
	// Withdraw ends what has been exposed at an address, the first byte's or another's, by this process. What it held
	// is gone. Operations that meet it fail, or are done before; none finds what is exposed later in the same place.
	Withdraw(a Address) error
	// Near is n bytes of exposed memory themselves, when they are this process's or mapped from this host, and else
	// nil. The slice is good until they are withdrawn. Words in it that others may write at the same time are to be
	// read and written by sync/atomic.
	Near(a Address, n int) ([]byte, error)
	// Put copies src to exposed memory. When it is done, src is free; what it has written is visible to all when the
	// next fence is done.
	Put(a Address, src []byte, c *Completion)
	// Get copies exposed memory to dst.
	Get(a Address, dst []byte, c *Completion)
	// Add adds n to a word. What it was before is stored to old, unless that is nil.
	Add(a Address, n uint64, old *uint64, c *Completion)
	// Swap sets a word.
	Swap(a Address, with uint64, old *uint64, c *Completion)
	// CompareAndSwap sets a word if it is equal to expect: then old is so too.
	CompareAndSwap(a Address, expect, with uint64, old *uint64, c *Completion)
	// Fence is done when all that this rank has begun before is done and visible to all.
	Fence(c *Completion)
	// Open is how many operations of this rank are not done, or not visible to all. It costs a load.
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

// Then has f called when the last open operation is done, at the port of its rank; not for what was done at once. f
// must not use the port.
func (c *Completion) Then(f func()) { c.done = f }

// Inside is the part of a completion that is for transports of this module.
func (c *Completion) Inside(frame.Access) *insideCompletion { return (*insideCompletion)(c) }

// insideCompletion has the methods of a completion that are for transports.
type insideCompletion Completion

// Begin counts operations that are not done at once.
func (c *insideCompletion) Begin(n int) { c.open += n }

// End says that so many are done, or have failed.
func (c *insideCompletion) End(n int, err error) {
	c.Fail(err)
	if c.open -= n; c.open == 0 && c.done != nil {
		c.done()
	}
}

// Fail keeps the first error, if it is one.
func (c *insideCompletion) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// AddressError says that an operation on exposed memory has failed.
type AddressError struct {
	Rank    int    // that began it
	Call    string // such as "Put"
	Address Address
	Bytes   int
	Cause   error
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("rank %d: %s of %d bytes at %v: %v", e.Rank, e.Call, e.Bytes, e.Address, e.Cause)
}

func (e *AddressError) Unwrap() error { return e.Cause }
