package pebble

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/internal/layout"
)

// Barrier returns when all ranks have called it. It costs ⌈log2 P⌉ messages a rank.
func (r *Rank) Barrier() error {
	_, err := r.networks[barrier].run(r.barrier, nil, nil)
	return err
}

// AllReduce merges the values of all ranks with merge, which must be associative and commutative, and returns the result
// on every rank. T is plain data: numbers, and arrays and structs of them. It costs about log2 P messages a rank.
func AllReduce[T any](r *Rank, v T, merge func(a, b T) T) (T, error) {
	n := r.networks[allReduce].typed(mustBePlain[T]("AllReduce"))
	fold := func(into, from []byte) {
		setPlain(into, merge(getPlain[T](into), getPlain[T](from)))
	}
	result, err := n.run(r.reduce, plainBytes(&v), fold)
	if err != nil {
		return v, err
	}
	return getPlain[T](result), nil
}

// Broadcast returns the root's v on every rank. T is plain data. It costs P-1 messages in all.
func Broadcast[T any](r *Rank, root int, v T) (T, error) {
	result, err := r.broadcast(mustBePlain[T]("Broadcast"), root, plainBytes(&v))
	if err != nil {
		return v, err
	}
	return getPlain[T](result), nil
}

// BroadcastBytes returns a copy of the root's value on every rank. The values of the others are not looked at.
func (r *Rank) BroadcastBytes(root int, value []byte) ([]byte, error) {
	return r.broadcast(nil, root, value)
}

func (r *Rank) broadcast(of reflect.Type, root int, value []byte) ([]byte, error) {
	r.mustBeRank("Broadcast", root)
	result, err := r.networks[broadcast].typed(of).run(collective.Broadcast(r.id, r.Size(), root), value, nil)
	return append([]byte(nil), result...), err
}

// Gather returns the values of all ranks, by rank, on the root, and nil on the others. T is plain data. It costs P-1
// messages in all.
func Gather[T any](r *Rank, root int, v T) ([]T, error) {
	values, err := r.gather(mustBePlain[T]("Gather"), root, plainBytes(&v))
	if err != nil || values == nil {
		return nil, err
	}
	all := make([]T, len(values))
	for i, value := range values {
		all[i] = getPlain[T](value)
	}
	return all, nil
}

// GatherBytes returns copies of the values of all ranks, by rank, on the root, and nil on the others. Values may differ in
// length.
func (r *Rank) GatherBytes(root int, value []byte) ([][]byte, error) {
	return r.gather(nil, root, value)
}

func (r *Rank) gather(of reflect.Type, root int, value []byte) ([][]byte, error) {
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

// AllGatherBytes returns copies of the values of all ranks, by rank, on every rank.
func (r *Rank) AllGatherBytes(value []byte) ([][]byte, error) {
	values, err := r.GatherBytes(0, value)
	if err != nil {
		return nil, err
	}
	var packed []byte
	for _, v := range values {
		packed = binary.LittleEndian.AppendUint32(packed, uint32(len(v)))
		packed = append(packed, v...)
	}
	packed, err = r.BroadcastBytes(0, packed)
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

func mustBePlain[T any](what string) reflect.Type {
	t := reflect.TypeFor[T]()
	if err := layout.Plain(t); err != nil {
		panic(fmt.Sprintf("pebble: %s: %v", what, err))
	}
	return t
}

func plainBytes[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

func getPlain[T any](value []byte) (v T) {
	copy(plainBytes(&v), value)
	return v
}

func setPlain[T any](value []byte, v T) { copy(value, plainBytes(&v)) }
