package engine

import (
	"encoding/binary"
	"reflect"

	"github.com/activepebbles/pebbles/internal/collective"
)

// Barrier returns when all ranks have called it.
func (r *Rank) Barrier() error {
	_, err := r.networks[barrier].run(r.barrier, nil, nil)
	return err
}

// AllReduce merges the values of all ranks. The result is good until the next collective. of is the type of the values, on which
// ranks must agree; nil is bytes, here and below.
func (r *Rank) AllReduce(of reflect.Type, value []byte, merge func(into, from []byte)) ([]byte, error) {
	return r.networks[allReduce].typed(of).run(r.reduce, value, merge)
}

// Broadcast returns a copy of the root's value on every rank.
func (r *Rank) Broadcast(of reflect.Type, root int, value []byte) ([]byte, error) {
	r.mustBeRank("Broadcast", root)
	result, err := r.networks[broadcast].typed(of).run(collective.Broadcast(r.id, r.Size(), root), value, nil)
	return append([]byte(nil), result...), err
}

// Gather returns copies of the values of all ranks, by rank, on the root, and nil on the others.
func (r *Rank) Gather(of reflect.Type, root int, value []byte) ([][]byte, error) {
	r.mustBeRank("Gather", root)
	own := binary.LittleEndian.AppendUint32(nil, uint32(r.id))
	own = binary.LittleEndian.AppendUint32(own, uint32(len(value)))
	own = append(own, value...)
	result, err := r.networks[gather].typed(of).run(collective.Gather(r.id, r.Size(), root), own, nil)
	if err != nil || r.id != root {
		return nil, err
	}
	all := make([][]byte, r.Size())
	for len(result) > 0 {
		rank := binary.LittleEndian.Uint32(result)
		n := binary.LittleEndian.Uint32(result[4:])
		all[rank] = append([]byte{}, result[8:8+n]...)
		result = result[8+n:]
	}
	return all, nil
}

// AllGather returns copies of the values of all ranks, by rank, on every rank.
func (r *Rank) AllGather(value []byte) ([][]byte, error) {
	values, err := r.Gather(nil, 0, value)
	if err != nil {
		return nil, err
	}
	var packed []byte
	for _, v := range values {
		packed = binary.LittleEndian.AppendUint32(packed, uint32(len(v)))
		packed = append(packed, v...)
	}
	packed, err = r.Broadcast(nil, 0, packed)
	if err != nil {
		return nil, err
	}
	all := make([][]byte, r.Size())
	for i := range all {
		n := binary.LittleEndian.Uint32(packed)
		all[i], packed = packed[4:4+n:4+n], packed[4+n:]
	}
	return all, nil
}

func (r *Rank) mustBeRank(what string, rank int) {
	if rank < 0 || rank >= r.Size() {
		misuse("rank %d: %s with root %d: ranks are 0 to %d", r.id, what, rank, r.Size()-1)
	}
}
