package engine

import (
	"errors"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// exposed is a rank's part in memory that ranks expose to each other: its one-sided operations, and the messages that
// locks post.
type exposed struct {
	caller   *caller
	sender   *coalesce.Sender
	posting  *network
	oneSided netio.OneSided // nil before its first use
	errors   []func() error
	post     func(from int, value []byte) // takes posted messages; nil if none is expected
}

// OneSided returns the rank's access to exposed memory. A rank with open operations is not at rest, so the end of an
// epoch is a fence for all ranks that it ends for. At each end, failed returns the error of operations that no caller
// awaited.
func (x *exposed) OneSided(failed func() error) netio.OneSided {
	const call = "memory.New was called"
	x.caller.CheckFreed(call)
	x.caller.owned(call)
	if x.oneSided == nil {
		x.oneSided = x.sender.Port.OneSided()
	}
	x.errors = append(x.errors, failed)
	return x.oneSided
}

// check ends the job if an operation that no caller awaited has failed.
func (x *exposed) check() {
	for _, failed := range x.errors {
		if err := failed(); err != nil {
			x.caller.Fail(&rankError{x.caller.id, err})
		}
	}
}

// open returns the number of this rank's open operations on exposed memory.
func (x *exposed) open() int {
	if x.oneSided == nil {
		return 0
	}
	return x.oneSided.Open()
}

// A posted message is for one rank, and wakes it. It is not a pebble: it belongs to no epoch, and is taken whenever the
// rank looks for frames, between epochs too. Detectors that count frames count it, so an epoch without a declared depth
// does not end while one is in flight.

// Posts registers take as the handler of messages posted by other ranks. It is called in the order of their arrival. It
// must not wait, nor keep value.
func (x *exposed) Posts(take func(from int, value []byte)) {
	if x.post != nil {
		x.caller.Misuse("pages", "New was called twice: a rank has one space of pages")
	}
	x.post = take
}

// Post sends a copy of value to another rank. It never waits, and may be called wherever the rank runs.
func (x *exposed) Post(to int, value []byte) {
	x.sender.Created++
	x.posting.Send(to, 0, 0, value)
}

// posted takes a message that another rank has posted.
func (x *exposed) posted(f *netio.Frame) error {
	if x.post == nil {
		return errors.New("it is a message to a lock, and this rank has none")
	}
	x.post(int(f.From), f.Payload())
	return nil
}
