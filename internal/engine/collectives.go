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

// Barrier returns when all ranks have called it.
func (r *Rank) Barrier() error {
	_, err := r.networks[barrier].run(r.barrier, nil, nil)
	return err
}

// AllReduce merges the values of all ranks. What collectives return is good until the next one, here and below.
func (r *Rank) AllReduce(of Values, value []byte, merge func(into, from []byte)) ([]byte, error) {
	return r.networks[allReduce].typed(of).run(r.reduce, value, merge)
}

// AllFold is AllReduce for values whose lengths differ.
func (r *Rank) AllFold(of Values, value []byte, fold Fold) ([]byte, error) {
	return r.networks[allReduce].typed(of).collect(r.reduce, value, nil, fold)
}

// Scan merges the values of the ranks up to this one. What is merged is of lower ranks than what it is merged into.
func (r *Rank) Scan(of Values, value []byte, merge func(into, from []byte)) ([]byte, error) {
	return r.networks[scan].typed(of).run(collective.Scan(r.id, r.Size()), value, merge)
}

// ScanFold is Scan for values whose lengths differ.
func (r *Rank) ScanFold(of Values, value []byte, fold Fold) ([]byte, error) {
	return r.networks[scan].typed(of).collect(collective.Scan(r.id, r.Size()), value, nil, fold)
}

// Broadcast returns the root's value on every rank.
func (r *Rank) Broadcast(of Values, root int, value []byte) ([]byte, error) {
	r.mustBeRank("Broadcast", root)
	return r.networks[broadcast].typed(of).run(collective.Broadcast(r.id, r.Size(), root), value, nil)
}

// Gather returns the values of all ranks, by rank, on the root, and nil on the others.
func (r *Rank) Gather(of Values, root int, value []byte) ([][]byte, error) {
	r.mustBeRank("Gather", root)
	own := binary.LittleEndian.AppendUint32(nil, uint32(r.id))
	own = binary.LittleEndian.AppendUint32(own, uint32(len(value)))
	own = append(own, value...)
	result, err := r.networks[gather].typed(of).run(collective.Gather(r.id, r.Size(), root), own, nil)
	if err != nil || r.id != root {
		return nil, err
	}
	all := r.alike(value)
	for len(result) > 0 {
		rank := binary.LittleEndian.Uint32(result)
		end := 8 + binary.LittleEndian.Uint32(result[4:])
		all[rank] = result[8:end:end]
		result = result[end:]
	}
	return all, nil
}

// AllGather returns the values of all ranks, by rank, one after the other. All have one length.
func (r *Rank) AllGather(of Values, value []byte) ([]byte, error) {
	result, err := r.networks[allGather].typed(of).run(collective.AllGather(r.id, r.Size(), len(value)), value, nil)
	if r.job.config.Lone && err == nil {
		return bytes.Repeat(value, r.Size()), nil
	}
	return result, err
}

// AllGatherV returns the values of all ranks, by rank, of any length each.
func (r *Rank) AllGatherV(of Values, value []byte) ([][]byte, error) {
	result, err := r.networks[allGather].typed(of).run(collective.AllGatherV(r.id, r.Size()),
		collective.AppendRecord(nil, value), nil)
	if err != nil {
		return nil, err
	}
	all := r.alike(value)
	for rank, v := range collective.Records(result) {
		all[rank] = v
	}
	return all, nil
}

// alike has room for a value of each rank. Where this rank is alone, all are like its own.
func (r *Rank) alike(own []byte) [][]byte {
	all := make([][]byte, r.Size())
	if r.job.config.Lone {
		for rank := range all {
			all[rank] = own
		}
	}
	return all
}

// FailIn ends the job because of a collective, and returns the job's error.
func (r *Rank) FailIn(call string, cause error) error {
	r.job.fail(fmt.Errorf("rank %d: %s: %w", r.id, call, cause))
	return r.job.error()
}

func (r *Rank) mustBeRank(what string, rank int) {
	if rank < 0 || rank >= r.Size() {
		misuse("rank %d: %s with root %d: ranks are 0 to %d", r.id, what, rank, r.Size()-1)
	}
}
