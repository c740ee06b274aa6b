package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/activepebbles/pebbles/internal/collective"
)

// Fold merges a rank's own value with that of another rank. The result is in the memory of own, or in other memory that
// becomes the caller's.
type Fold func(own, from []byte) []byte

// Collectives are the calls that all ranks make together, between epochs.
type Collectives struct {
	caller   *caller
	networks [purposes]network
	common
	exchange []collective.Step // of all-reductions and barriers
}

// common is the state that the collectives of a rank share.
type common struct {
	control  mailbox
	machine  collective.Machine
	sequence uint32 // of the last collective; frames carry 32 bits of it
}

// begin prepares the collectives of a job whose ranks count from start.
func (c *Collectives) begin(start uint64) {
	c.exchange, c.sequence = collective.AllReduce(c.caller.id, c.caller.Size()), uint32(start)
}

// Barrier returns when all ranks have called it.
func (c *Collectives) Barrier() error {
	_, err := c.networks[barrier].run(c.exchange, nil, nil)
	return err
}

// AllReduce merges the values of all ranks. The result of each collective is valid until the next one.
func (c *Collectives) AllReduce(of Values, value []byte, merge func(into, from []byte)) ([]byte, error) {
	return c.networks[allReduce].typed(of).run(c.exchange, value, merge)
}

// AllFold is AllReduce for values whose lengths differ.
func (c *Collectives) AllFold(of Values, value []byte, fold Fold) ([]byte, error) {
	return c.networks[allReduce].typed(of).collect(c.exchange, value, nil, fold)
}

// Scan merges the values of the ranks below this one. On rank 0 the result is empty. merge gets the value of lower
// ranks as from.
func (c *Collectives) Scan(of Values, value []byte, merge func(into, from []byte)) ([]byte, error) {
	return c.networks[scan].typed(of).run(collective.Scan(c.caller.id, c.caller.Size()), value, merge)
}

// ScanFold is Scan for values whose lengths differ.
func (c *Collectives) ScanFold(of Values, value []byte, fold Fold) ([]byte, error) {
	return c.networks[scan].typed(of).collect(collective.Scan(c.caller.id, c.caller.Size()), value, nil, fold)
}

// Broadcast returns the root's value on every rank.
func (c *Collectives) Broadcast(of Values, root int, value []byte) ([]byte, error) {
	mustBeRank(c.caller, "Broadcast", root)
	return c.networks[broadcast].typed(of).run(collective.Broadcast(c.caller.id, c.caller.Size(), root), value, nil)
}

// Gather returns the values of all ranks, ordered by rank, on the root, and nil on the others.
func (c *Collectives) Gather(of Values, root int, value []byte) ([][]byte, error) {
	mustBeRank(c.caller, "Gather", root)
	c.networks[gather].fits(value) // also the root's, which is not sent
	own := binary.LittleEndian.AppendUint32(nil, uint32(c.caller.id))
	own = binary.LittleEndian.AppendUint32(own, uint32(len(value)))
	own = append(own, value...)
	result, err := c.networks[gather].typed(of).run(collective.Gather(c.caller.id, c.caller.Size(), root), own, nil)
	if err != nil || c.caller.id != root {
		return nil, err
	}
	all := c.alike(value)
	for len(result) > 0 {
		rank := binary.LittleEndian.Uint32(result)
		end := 8 + int(binary.LittleEndian.Uint32(result[4:]))
		all[rank] = result[8:end:end]
		result = result[end:]
	}
	return all, nil
}

// AllGather returns the values of all ranks, ordered by rank, concatenated. All have the same length.
func (c *Collectives) AllGather(of Values, value []byte) ([]byte, error) {
	ranks := c.caller.Size()
	result, err := c.networks[allGather].typed(of).run(collective.AllGather(c.caller.id, ranks), value, nil)
	switch {
	case err != nil:
		return nil, err
	case c.caller.Job.config.Lone:
		return bytes.Repeat(value, ranks), nil
	}
	return collective.ByRank(result, ranks), nil
}

// AllGatherV returns the values of all ranks, ordered by rank. They may differ in length.
func (c *Collectives) AllGatherV(of Values, value []byte) ([][]byte, error) {
	ranks := c.caller.Size()
	c.networks[allGather].fits(value) // also that of a rank alone, which is not sent
	result, err := c.networks[allGather].typed(of).run(collective.AllGather(c.caller.id, ranks),
		collective.AppendRecord(nil, value), nil)
	if err != nil {
		return nil, err
	}
	all := c.alike(value)
	for rank, v := range collective.Records(result, ranks) {
		all[rank] = v
	}
	return all, nil
}

// alike returns room for a value of each rank. If this rank is alone, all values are its own.
func (c *Collectives) alike(own []byte) [][]byte {
	all := make([][]byte, c.caller.Size())
	if c.caller.Job.config.Lone {
		for rank := range all {
			all[rank] = own
		}
	}
	return all
}

// Sharing returns the steps of a rank in a collective that takes the records of all ranks to all: as by
// [collective.AllGather] or, if flat, through rank 0, which gets one message from each rank and answers it. The records
// are in the order of [collective.Records].
func (c *Collectives) Sharing(flat bool) []collective.Step {
	ranks := c.caller.Size()
	if !flat {
		return collective.AllGather(c.caller.id, ranks)
	}
	if c.caller.id > 0 {
		return []collective.Step{{Action: collective.Send}, {Action: collective.Replace}}
	}
	var steps []collective.Step
	for i := 1; i < ranks; i++ {
		steps = append(steps, collective.Step{Action: collective.Append, Peer: collective.RankAt(i, ranks)})
	}
	for rank := 1; rank < ranks; rank++ {
		steps = append(steps, collective.Step{Action: collective.Send, Peer: rank})
	}
	return steps
}

// Share runs the steps of [Collectives.Sharing] with one record, and returns the records of all ranks, valid until the
// next collective. A rank alone, in an explanation, gets only its own.
func (c *Collectives) Share(steps []collective.Step, record []byte) ([]byte, error) {
	all, err := c.networks[sharing].run(steps, record, nil)
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	return all, nil
}
