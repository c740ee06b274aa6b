package local

import (
	"errors"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// OneSided is a rank's access to exposed memory. What its process has mapped it reads and writes itself; the rest is
// left to a transport.
type OneSided struct {
	rank  int
	place netio.Place
	space *exposed.Space
	user  exposed.User
	ready bool // there is a user
	far   Far  // nil where all is mapped
}

// Users is how many may be in exposed memory for a process: its ranks, and one for each process whose operations it
// serves.
func Users(p netio.Place) int { return p.Last - p.First + p.Processes }

// Far is what reaches the exposed memory of other processes that is not mapped here.
type Far interface {
	// Move begins a Get or a Put.
	Move(k Kind, a netio.Address, data []byte, c *netio.Completion)
	// MoveWords begins many Gets or Puts, each of a word of one exposure. words is the caller's again.
	MoveWords(k Kind, a netio.Address, words []exposed.Word, c *netio.Completion)
	// Start begins an operation on a word.
	Start(op Operation)
	// Fence is done when all is done that has begun.
	Fence(c *netio.Completion)
	// Open is how many operations have begun and are not done.
	Open() int
}

// Operation is one that a [Far] does.
type Operation struct {
	Kind Kind
	netio.Address
	Data         []byte // of Put and Get
	Expect, With uint64 // With is what Add adds, too
	Old          *uint64
	Completion   *netio.Completion
}

// Kind is what an operation does.
type Kind uint8

// The kinds.
const (
	Get Kind = iota + 1
	Put
	Add
	Swap
	CompareAndSwap
	Fence // which does nothing
	kinds
)

// KindOf is a kind that has come over a wire.
func KindOf(n uint32) (Kind, bool) { return Kind(n), n >= uint32(Get) && n < uint32(Fence) }

var kindNames = [kinds]string{Get: "Get", Put: "Put", Add: "Add", Swap: "Swap", CompareAndSwap: "CompareAndSwap", Fence: "Fence"}

func (k Kind) String() string { return kindNames[k] }

// Bytes is how many bytes of exposed memory the operation is about.
func (op *Operation) Bytes() int {
	if op.Kind == Get || op.Kind == Put {
		return len(op.Data)
	}
	return exposed.WordBytes
}

// Error is the one for an operation of a rank that has failed.
func (op *Operation) Error(rank int, cause error) error {
	return &netio.AddressError{Rank: rank, Call: op.Kind.String(), Address: op.Address, Bytes: op.Bytes(), Cause: cause}
}

// Lost is the cause of an error about an address of a process that is lost, or has finished.
func Lost(p netio.Place, process int) error {
	first, last := netio.Spread(p.Ranks, p.Processes, process)
	return &netio.LostError{Process: process, First: first, Last: last, Cause: errGone}
}

var errGone = errors.New("what it has exposed is gone with it")

// ErrEnded is the cause of an error about an address when the job has failed or ended.
var ErrEnded = errors.New("the job has ended")

// ErrNoProcess is the cause of an error about an address of a process that does not exist.
var ErrNoProcess = errors.New("the job has no such process")

// NewOneSided makes that of a rank, which is a user of its process's space by this number. far is nil where everything
// is mapped.
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
var ErrForeign = errors.New("another process has exposed it, which alone may withdraw it")

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

// where finds the segment of an address that is mapped here. The others are far, or of no process.
func (o *OneSided) where(a netio.Address) (s *exposed.Segment, far bool, cause error) {
	if !o.ready {
		own, err := o.space.Own()
		if err != nil {
			return nil, false, err
		}
		o.user, o.ready = own.User(o.rank-o.place.First), true
	}
	if int64(a.Process) >= int64(o.place.Processes) {
		return nil, false, ErrNoProcess
	}
	s = o.space.Near(int(a.Process))
	return s, s == nil, nil
}

// Near implements [netio.OneSided].
func (o *OneSided) Near(a netio.Address, n int) ([]byte, error) {
	s, far, cause := o.where(a)
	if far {
		return nil, nil
	}
	if cause == nil {
		memory, fault := o.user.Near(s, place(a), n)
		if fault == exposed.None {
			return memory, nil
		}
		cause = fault
	}
	return nil, &netio.AddressError{Rank: o.rank, Call: "Near", Address: a, Bytes: n, Cause: cause}
}

func place(a netio.Address) exposed.Place { return exposed.Place{Key: a.Key, Offset: a.Offset} }

// Put implements [netio.OneSided].
func (o *OneSided) Put(a netio.Address, src []byte, c *netio.Completion) {
	s, far, cause := o.where(a)
	if s != nil {
		if fault := o.user.Put(s, place(a), src); fault != exposed.None {
			cause = fault
		}
	}
	if cause != nil {
		o.fail(Operation{Kind: Put, Address: a, Data: src, Completion: c}, cause)
	} else if far {
		o.far.Move(Put, a, src, c)
	}
}

// Get implements [netio.OneSided].
func (o *OneSided) Get(a netio.Address, dst []byte, c *netio.Completion) {
	s, far, cause := o.where(a)
	if s != nil {
		if fault := o.user.Get(s, place(a), dst); fault != exposed.None {
			cause = fault
		}
	}
	if cause != nil {
		o.fail(Operation{Kind: Get, Address: a, Data: dst, Completion: c}, cause)
	} else if far {
		o.far.Move(Get, a, dst, c)
	}
}

// PutWords is Put of many words of one exposure, and GetWords is Get. The offset of a is that of none. They are for
// package memory, and cost less a word.
func (o *OneSided) PutWords(_ frame.Access, a netio.Address, words []exposed.Word, c *netio.Completion) {
	o.moveWords(Put, o.Put, a, words, c)
}

// GetWords is described at PutWords.
func (o *OneSided) GetWords(_ frame.Access, a netio.Address, words []exposed.Word, c *netio.Completion) {
	o.moveWords(Get, o.Get, a, words, c)
}

// moveWords has far words moved together, and others by one call each.
func (o *OneSided) moveWords(
	k Kind, one func(netio.Address, []byte, *netio.Completion),
	a netio.Address, words []exposed.Word, c *netio.Completion,
) {
	if _, far, _ := o.where(a); far {
		o.far.MoveWords(k, a, words, c)
		return
	}
	for _, w := range words {
		a.Offset = w.Offset
		one(a, w.Data[:], c)
	}
}

// fail lets an operation fail.
func (o *OneSided) fail(op Operation, cause error) {
	if cause == error(exposed.Lost) {
		cause = Lost(o.place, int(op.Process))
	}
	op.Completion.Inside(access).Fail(op.Error(o.rank, cause))
}

// Add implements [netio.OneSided].
func (o *OneSided) Add(a netio.Address, n uint64, old *uint64, c *netio.Completion) {
	o.word(Operation{Kind: Add, Address: a, With: n, Old: old, Completion: c})
}

// Swap implements [netio.OneSided].
func (o *OneSided) Swap(a netio.Address, with uint64, old *uint64, c *netio.Completion) {
	o.word(Operation{Kind: Swap, Address: a, With: with, Old: old, Completion: c})
}

// CompareAndSwap implements [netio.OneSided].
func (o *OneSided) CompareAndSwap(a netio.Address, expect, with uint64, old *uint64, c *netio.Completion) {
	o.word(Operation{Kind: CompareAndSwap, Address: a, Expect: expect, With: with, Old: old, Completion: c})
}

func (o *OneSided) word(op Operation) {
	s, far, cause := o.where(op.Address)
	if s != nil {
		old, fault := op.Change(o.user, s)
		if fault == exposed.None {
			if op.Old != nil {
				*op.Old = old
			}
			return
		}
		cause = fault
	}
	if cause != nil {
		o.fail(op, cause)
	} else if far {
		o.far.Start(op)
	}
}

// Change does an operation on a word.
func (op *Operation) Change(by exposed.User, s *exposed.Segment) (old uint64, fault exposed.Fault) {
	switch at := place(op.Address); op.Kind {
	case Add:
		return by.Add(s, at, op.With)
	case Swap:
		return by.Swap(s, at, op.With)
	default:
		return by.CompareAndSwap(s, at, op.Expect, op.With)
	}
}

// Fence implements [netio.OneSided]. What is near is visible when it is done.
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
