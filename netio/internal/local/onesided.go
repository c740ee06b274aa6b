package local

import (
	"errors"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// OneSided is a rank's access to exposed memory, over every transport. It reads and writes the memory that its process
// has mapped, and passes other operations to a transport.
type OneSided struct {
	rank  int
	place netio.Place
	space *exposed.Space // nil where all memory is far
	user  exposed.User
	ready bool // user is set
	far   Far  // nil where all memory is mapped
}

// Users returns the number of users of a process's exposed memory: its ranks, and one for each process that it serves.
func Users(p netio.Place) int { return p.Last - p.First + p.Processes }

// Far is the part of a transport that reaches exposed memory outside the mapped segments.
type Far interface {
	// Start begins an operation that is not a Fence.
	Start(op Operation)
	// MoveWords begins many Gets or Puts of words of one exposure. It does not keep the slice words.
	MoveWords(k Kind, a netio.Address, words []exposed.Word, c *netio.Completion)
	// Fence ends when all operations that began before it have ended.
	Fence(c *netio.Completion)
	// Open returns the number of operations that have begun and not ended.
	Open() int
}

// Operation is one operation on exposed memory.
type Operation struct {
	Kind Kind
	netio.Address
	Data         []byte // of Put and Get
	Expect, With uint64 // With also holds the operand of Add
	Old          *uint64
	Completion   *netio.Completion
}

// Kind is the kind of an operation.
type Kind uint8

// The kinds.
const (
	Get Kind = iota + 1
	Put
	Add
	Swap
	CompareAndSwap
	Fence // does nothing
	kinds
)

// KindOf returns the kind for a number from the wire. It reports false if the number is invalid.
func KindOf(n uint32) (Kind, bool) { return Kind(n), n >= uint32(Get) && n < uint32(Fence) }

var kindNames = [kinds]string{
	Get: "Get", Put: "Put", Add: "Add", Swap: "Swap", CompareAndSwap: "CompareAndSwap", Fence: "Fence",
}

func (k Kind) String() string { return kindNames[k] }

// Bytes returns the number of bytes of exposed memory that the operation reads or writes.
func (op *Operation) Bytes() int {
	if op.Kind == Get || op.Kind == Put {
		return len(op.Data)
	}
	return exposed.WordBytes
}

// Error returns the error of a failed operation of a rank.
func (op *Operation) Error(rank int, cause error) error {
	return &netio.AddressError{Rank: rank, Call: op.Kind.String(), Address: op.Address, Bytes: op.Bytes(), Cause: cause}
}

// Lost returns the cause of an error about an address of a process that is lost or has finished.
func Lost(p netio.Place, process int) error {
	first, last := netio.Spread(p.Ranks, p.Processes, process)
	return &netio.LostError{Process: process, First: first, Last: last, Cause: errGone}
}

var errGone = errors.New("the memory that it has exposed is gone")

// ErrEnded is the cause of an error about an address when the job has failed or ended.
var ErrEnded = errors.New("the job has ended")

// ErrNoProcess is the cause of an error about an address of a process that does not exist.
var ErrNoProcess = errors.New("the job has no such process")

// NewOneSided returns a rank's access. space is nil where all memory is far, and far is nil where all memory is mapped.
func NewOneSided(rank int, p netio.Place, space *exposed.Space, far Far) *OneSided {
	return &OneSided{rank: rank, place: p, space: space, far: far}
}

var _ netio.OneSided = (*OneSided)(nil)

// Expose implements [netio.OneSided].
func (o *OneSided) Expose(bytes int) (netio.Address, []byte, error) {
	key, memory, err := o.space.Expose(bytes)
	a := netio.Address{Process: uint32(o.place.Process), Key: key}
	if err != nil {
		return netio.Address{}, nil, &netio.AddressError{Rank: o.rank, Call: "Expose", Address: a, Bytes: bytes, Cause: err}
	}
	return a, memory, nil
}

// ErrForeign is the cause of an error about an address that another process has exposed.
var ErrForeign = errors.New("another process has exposed it: only that process may withdraw it")

// Withdraw implements [netio.OneSided].
func (o *OneSided) Withdraw(a netio.Address) error {
	var cause error
	if int(a.Process) != o.place.Process {
		cause = ErrForeign
	} else if fault := o.space.Withdraw(a.Key); fault != exposed.None {
		cause = fault
	} else {
		return nil
	}
	return &netio.AddressError{Rank: o.rank, Call: "Withdraw", Address: a, Cause: cause}
}

// where returns the segment of an address if it is mapped here. Without a segment and a cause, the address is far.
func (o *OneSided) where(a netio.Address) (s *exposed.Segment, cause error) {
	if int64(a.Process) >= int64(o.place.Processes) {
		return nil, ErrNoProcess
	}
	if o.space == nil {
		return nil, nil
	}
	if !o.ready {
		own, err := o.space.Own()
		if err != nil {
			return nil, err
		}
		o.user, o.ready = own.User(o.rank-o.place.First), true
	}
	return o.space.Near(int(a.Process)), nil
}

// Near implements [netio.OneSided].
func (o *OneSided) Near(a netio.Address, n int) ([]byte, error) {
	s, cause := o.where(a)
	if s != nil {
		memory, fault := o.user.Near(s, place(a), n)
		if fault == exposed.None {
			return memory, nil
		}
		cause = fault
	}
	if cause == nil {
		return nil, nil
	}
	return nil, &netio.AddressError{Rank: o.rank, Call: "Near", Address: a, Bytes: n, Cause: cause}
}

func place(a netio.Address) exposed.Place { return exposed.Place{Key: a.Key, Offset: a.Offset} }

// Put implements [netio.OneSided].
func (o *OneSided) Put(a netio.Address, src []byte, c *netio.Completion) {
	s, cause := o.where(a)
	if s != nil {
		fault := o.user.Put(s, place(a), src)
		if fault == exposed.None {
			return
		}
		cause = fault
	}
	o.pass(Operation{Kind: Put, Address: a, Data: src, Completion: c}, cause)
}

// Get implements [netio.OneSided].
func (o *OneSided) Get(a netio.Address, dst []byte, c *netio.Completion) {
	s, cause := o.where(a)
	if s != nil {
		fault := o.user.Get(s, place(a), dst)
		if fault == exposed.None {
			return
		}
		cause = fault
	}
	o.pass(Operation{Kind: Get, Address: a, Data: dst, Completion: c}, cause)
}

// PutWords puts many words of one exposure; it ignores the offset of a. It is cheaper than Put, and for package memory.
func (o *OneSided) PutWords(_ frame.Access, a netio.Address, words []exposed.Word, c *netio.Completion) {
	o.moveWords(Put, a, words, c)
}

// GetWords gets many words of one exposure. See [OneSided.PutWords].
func (o *OneSided) GetWords(_ frame.Access, a netio.Address, words []exposed.Word, c *netio.Completion) {
	o.moveWords(Get, a, words, c)
}

// moveWords passes far words to the transport together, and moves others one by one.
func (o *OneSided) moveWords(k Kind, a netio.Address, words []exposed.Word, c *netio.Completion) {
	if s, cause := o.where(a); s == nil && cause == nil {
		o.far.MoveWords(k, a, words, c)
		return
	}
	one := o.Get
	if k == Put {
		one = o.Put
	}
	for _, w := range words {
		a.Offset = w.Offset
		one(a, w.Data[:], c)
	}
}

// StartWords starts an operation for each of the words, for transports that do not move them together.
func StartWords(f Far, k Kind, a netio.Address, words []exposed.Word, c *netio.Completion) {
	for _, w := range words {
		a.Offset = w.Offset
		f.Start(Operation{Kind: k, Address: a, Data: w.Data[:], Completion: c})
	}
}

// pass fails an operation with a cause; without a cause it passes the operation to the transport.
func (o *OneSided) pass(op Operation, cause error) {
	if cause == nil {
		o.far.Start(op)
		return
	}
	if cause == error(exposed.Lost) {
		cause = Lost(o.place, int(op.Process))
	}
	op.Completion.Inside(access).Fail(op.Error(o.rank, cause))
}

// Add implements [netio.OneSided].
func (o *OneSided) Add(a netio.Address, n uint64, old *uint64, c *netio.Completion) {
	o.change(Operation{Kind: Add, Address: a, With: n, Old: old, Completion: c})
}

// Swap implements [netio.OneSided].
func (o *OneSided) Swap(a netio.Address, with uint64, old *uint64, c *netio.Completion) {
	o.change(Operation{Kind: Swap, Address: a, With: with, Old: old, Completion: c})
}

// CompareAndSwap implements [netio.OneSided].
func (o *OneSided) CompareAndSwap(a netio.Address, expect, with uint64, old *uint64, c *netio.Completion) {
	o.change(Operation{Kind: CompareAndSwap, Address: a, Expect: expect, With: with, Old: old, Completion: c})
}

// change does or begins an operation on a word.
func (o *OneSided) change(op Operation) {
	s, cause := o.where(op.Address)
	if s != nil {
		fault := op.Perform(o.user, s)
		if fault == exposed.None {
			return
		}
		cause = fault
	}
	o.pass(op, cause)
}

// Perform does an operation in a segment, immediately.
func (op *Operation) Perform(by exposed.User, s *exposed.Segment) exposed.Fault {
	var old uint64
	var fault exposed.Fault
	switch at := place(op.Address); op.Kind {
	case Get:
		return by.Get(s, at, op.Data)
	case Put:
		return by.Put(s, at, op.Data)
	case Add:
		old, fault = by.Add(s, at, op.With)
	case Swap:
		old, fault = by.Swap(s, at, op.With)
	default:
		old, fault = by.CompareAndSwap(s, at, op.Expect, op.With)
	}
	if fault == exposed.None && op.Old != nil {
		*op.Old = old
	}
	return fault
}

// Fence implements [netio.OneSided]. Mapped memory needs no fence.
func (o *OneSided) Fence(c *netio.Completion) {
	if o.far != nil {
		o.far.Fence(c)
	}
}

// Open implements [netio.OneSided].
func (o *OneSided) Open() int {
	if o.far == nil {
		return 0
	}
	return o.far.Open()
}
