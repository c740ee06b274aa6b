package ofi

import "errors"

// fabric is one endpoint of reliable datagrams: the calls of libfabric that this package needs. None blocks. They are
// for one goroutine at a time. Memory for a fabric lies outside the Go heap, and stays registered while the fabric uses
// it.
type fabric interface {
	// Address returns the address of the endpoint for others.
	Address() []byte
	// Link returns the number of another endpoint.
	Link(address []byte) (peer uint64, err error)
	// Register lets the fabric use memory, and lets other endpoints with its key read and write it. key is used where
	// the provider lets the application choose.
	Register(mem []byte, key uint64) (region, error)
	Deregister(r region) error
	// Post posts a slab to receive packets, many per slab. It ends with an event that has left set.
	Post(slab []byte, r region, tag uint32) error
	// Send, Put and Get begin an operation, which ends with an event. A put is then visible to its target. errBusy
	// means: try again later.
	Send(peer uint64, mem []byte, r region, tag uint32) error
	Put(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error
	Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error
	// Poll advances operations in flight, and lists those that have ended.
	Poll(into []event) (int, error)
	// Descriptor becomes readable when an operation may have ended. It is -1 if the provider has no reliable one. Wait
	// for it only after MayWait has returned true.
	Descriptor() int
	MayWait() bool
	// Traits are the abilities and requirements of the provider.
	Traits() traits
	// Close ends the endpoint, and all regions.
	Close()
}

// region is registered memory.
type region struct {
	mem    []byte
	key    uint64 // for access by others
	base   uint64 // address of its first byte for others
	desc   uintptr
	handle uintptr
}

// at returns the address of a byte of the region for others.
func (r *region) at(offset int) uint64 { return r.base + uint64(offset) }

// event is the end of one call.
type event struct {
	tag    uint32 // of the call
	packet []byte // received packet; nil for other events
	left   bool   // the slab is no longer used
	err    error
}

// traits are the traits of a provider.
type traits struct {
	Provider string
	Pins     bool // registered memory cannot be paged out, and counts for the locked-memory limit
	Message  int  // most bytes of a Get or Put
	Packet   int  // most bytes of a Send; a slab ends when it has less room
	Locks    bool // has locks in memory that processes share: a killed process may block calls of others
	Cuts     bool // others may see a Put or Get cut within a word, or it may end before its target sees it
	Packets  int  // most Sends in flight from one other endpoint to this one; 0 means no bound
}

// errBusy reports that a call must be retried later.
var errBusy = errors.New("the fabric is busy")

// eventsMax is the number of events that one look lists at most.
const eventsMax = 32
