package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/activepebbles/pebbles/internal/collective"
)

// Fold returns what becomes of a rank's own value and that of another rank, in the memory of own or in other memory
// that it gives away.
type Fold func(own, from []byte) []byte

// Collectives are what all ranks do together, between epochs.
type Collectives struct {
	rank            *Rank
	networks        [purposes]network
	control         mailbox
	machine         collective.Machine
	barrier, reduce []collective.Step
	sequence        uint64
}

// Barrier returns when all ranks have called it.
func (c *Collectives) Barrier() error {
	_, err := c.networks[barrier].run(c.barrier, nil, nil)
	return err
}

// AllReduce merges the values of all ranks. What collectives return is good until the next one, here and below.
func (c *Collectives) AllReduce(of Values, value []byte, merge func(into, from []byte)) ([]byte, error) {
	return c.networks[allReduce].typed(of).run(c.reduce, value, merge)
}

// AllFold is AllReduce for values whose lengths differ.
func (c *Collectives) AllFold(of Values, value []byte, fold Fold) ([]byte, error) {
	return c.networks[allReduce].typed(of).collect(c.reduce, value, nil, fold)
}

// Scan merges the values of the ranks up to this one. What is merged is of lower ranks than what it is merged into.
func (c *Collectives) Scan(of Values, value []byte, merge func(into, from []byte)) ([]byte, error) {
	return c.networks[scan].typed(of).run(collective.Scan(c.rank.id, c.rank.Size()), value, merge)
}

// ScanFold is Scan for values whose lengths differ.
func (c *Collectives) ScanFold(of Values, value []byte, fold Fold) ([]byte, error) {
	return c.networks[scan].typed(of).collect(collective.Scan(c.rank.id, c.rank.Size()), value, nil, fold)
}

// Broadcast returns the root's value on every rank.
func (c *Collectives) Broadcast(of Values, root int, value []byte) ([]byte, error) {
	c.rank.mustBeRank("Broadcast", root)
	return c.networks[broadcast].typed(of).run(collective.Broadcast(c.rank.id, c.rank.Size(), root), value, nil)
}

// Gather returns the values of all ranks, by rank, on the root, and nil on the others.
func (c *Collectives) Gather(of Values, root int, value []byte) ([][]byte, error) {
	c.rank.mustBeRank("Gather", root)
	own := binary.LittleEndian.AppendUint32(nil, uint32(c.rank.id))
	own = binary.LittleEndian.AppendUint32(own, uint32(len(value)))
	own = append(own, value...)
	result, err := c.networks[gather].typed(of).run(collective.Gather(c.rank.id, c.rank.Size(), root), own, nil)
	if err != nil || c.rank.id != root {
		return nil, err
	}
	all := c.alike(value)
	for len(result) > 0 {
		rank := binary.LittleEndian.Uint32(result)
		end := 8 + binary.LittleEndian.Uint32(result[4:])
		all[rank] = result[8:end:end]
		result = result[end:]
	}
	return all, nil
}

// AllGather returns the values of all ranks, by rank, one after the other. All have one length.
func (c *Collectives) AllGather(of Values, value []byte) ([]byte, error) {
	steps := collective.AllGather(c.rank.id, c.rank.Size(), len(value))
	result, err := c.networks[allGather].typed(of).run(steps, value, nil)
	if c.rank.job.config.Lone && err == nil {
		return bytes.Repeat(value, c.rank.Size()), nil
	}
	return result, err
}

// AllGatherV returns the values of all ranks, by rank, of any length each.
func (c *Collectives) AllGatherV(of Values, value []byte) ([][]byte, error) {
	result, err := c.networks[allGather].typed(of).run(collective.AllGatherV(c.rank.id, c.rank.Size()),
		collective.AppendRecord(nil, value), nil)
	if err != nil {
		return nil, err
	}
	all := c.alike(value)
	for rank, v := range collective.Records(result) {
		all[rank] = v
	}
	return all, nil
}

// alike has room for a value of each rank. Where this rank is alone, all are like its own.
func (c *Collectives) alike(own []byte) [][]byte {
	all := make([][]byte, c.rank.Size())
	if c.rank.job.config.Lone {
		for rank := range all {
			all[rank] = own
		}
	}
	return all
}

// FailIn ends the job because of a collective, and returns the job's error.
func (c *caller) FailIn(call string, cause error) error {
	c.job.fail(fmt.Errorf("rank %d: %s: %w", c.id, call, cause))
	return c.job.error()
}

func (c *caller) mustBeRank(what string, rank int) {
	if rank < 0 || rank >= c.Size() {
		c.Misuse(room, "%s with root %d: ranks are 0 to %d", what, rank, c.Size()-1)
	}
}
