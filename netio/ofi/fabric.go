package ofi

import "errors"

// fabric is one endpoint of reliable datagrams: the calls that this package needs of libfabric. None of them blocks.
// They are for one goroutine at a time. Memory that is given to one is not Go's, and stays registered for as long as
// the fabric uses it.
type fabric interface {
	// Address is where others reach the endpoint.
	Address() []byte
	// Link returns the number of another endpoint.
	Link(address []byte) (peer uint64, err error)
	// Register lets the fabric use memory, and other endpoints that know its key read and write it. key is used where
	// the provider lets the application choose.
	Register(mem []byte, key uint64) (region, error)
	Deregister(r region) error
	// Post gives a slab for packets to be received into, many in one. It ends with an event that has left set.
	Post(slab []byte, r region, tag uint32) error
	// Send, Put and Get begin an operation, which ends with an event. A put is visible to its target then. errBusy
	// says: later.
	Send(peer uint64, mem []byte, r region, tag uint32) error
	Put(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error
	Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error
	// Poll moves operations in flight, and lists those that have ended.
	Poll(into []event) (int, error)
	// Descriptor becomes readable when something may have ended; -1 where the provider has none that tells the truth.
	// It is to be waited for only after MayWait has said so.
	Descriptor() int
	MayWait() bool
	// Traits are the abilities and requirements of the provider.
	Traits() traits
	// Close ends the endpoint, and all regions.
	Close()
}

// region is memory that is registered.
type region struct {
	mem    []byte
	key    uint64 // by which others reach it
	base   uint64 // what they say for its first byte
	desc   uintptr
	handle uintptr
}

// at is how others name a byte of the region.
func (r *region) at(offset int) uint64 { return r.base + uint64(offset) }

// event is one thing that has ended.
type event struct {
	tag    uint32 // of the call
	packet []byte // that was received; nil for other events
	left   bool   // the slab is not used any more
	err    error
}

// traits are those of a provider.
type traits struct {
	Provider string
	Pins     bool // registered memory can't be paged out, and counts for the locked-memory limit
	Message  int  // the most bytes of a Get or Put
	Packet   int  // the most bytes of a Send; a slab ends when it has less room
	Locks    bool // it has locks in memory that processes share: a killed process may block calls of others
	Cuts     bool // a Put or Get may be cut within a word, for others to see, or end before its target sees it
	Packets  int  // the most Sends of another endpoint that may be in flight to this one; 0 is no bound
}

// errBusy says that a call is to be tried again later.
var errBusy = errors.New("the fabric is busy")

// eventsMax is how many events one look lists.
const eventsMax = 32
