package engine

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/netio"
)

// A posted message is for one rank, and wakes it. It is no pebble: it is of no epoch, and is taken in wherever the rank
// looks at what has arrived, between epochs too. Detectors that count frames count it, so an epoch of no declared depth
// does not end while one is in flight.

// Posts has take be called with what other ranks post, in the order in which it arrives; value is good until it
// returns. take must not wait.
func (x *accesses) Posts(take func(from int, value []byte)) {
	if x.post != nil {
		x.rank.Misuse("pages", "New was called twice: a rank has one space of pages")
	}
	x.post = take
}

// Post sends a copy of value to another rank. It never waits, and may be called wherever the rank runs.
func (a *accesses) Post(to int, value []byte) {
	a.rank.Created++
	a.rank.networks[posting].Send(to, 0, 0, value)
}

// posted takes in what another rank has posted.
func (x *accesses) posted(f *netio.Frame) {
	if x.post == nil {
		x.rank.refuse(f, "it is a message to a lock, and this rank has none")
	}
	x.post(int(f.From), f.Payload())
	x.rank.processed++
	f.Release()
}

// Sharing is the steps of a rank in a collective that takes the records of all ranks to all, by rank: by dissemination,
// in ⌈log2 P⌉ rounds, or through rank 0, which gets one message of each rank and answers it.
func (c *Collectives) Sharing(flat bool) []collective.Step {
	ranks := c.rank.Size()
	if !flat {
		return collective.AllGatherV(c.rank.id, ranks)
	}
	if c.rank.id > 0 {
		return []collective.Step{{Action: collective.Send}, {Action: collective.Replace}}
	}
	var steps []collective.Step
	for rank := 1; rank < ranks; rank++ {
		steps = append(steps, collective.Step{Action: collective.Append, Peer: rank})
	}
	for rank := 1; rank < ranks; rank++ {
		steps = append(steps, collective.Step{Action: collective.Send, Peer: rank})
	}
	return steps
}

// Share runs steps of [Rank.Sharing] with one record, and returns those of all ranks, good until the next collective.
// Where this rank is alone, for an explanation, it has its own only.
func (c *Collectives) Share(steps []collective.Step, record []byte) ([]byte, error) {
	all, err := c.networks[sharing].run(steps, record, nil)
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	return all, nil
}
