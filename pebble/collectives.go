package pebble

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/layout"
)

// Barrier returns when all ranks have called it. It costs ⌈log2 P⌉ messages a rank.
func (r *Rank) Barrier() error { return r.engine.Barrier() }

// AllReduce merges the values of all ranks with merge, which must be associative and commutative, and returns the result
// on every rank. T is plain data: numbers, and arrays and structs of them. It costs about log2 P messages a rank.
func AllReduce[T any](r *Rank, v T, merge func(a, b T) T) (T, error) {
	result, err := r.engine.AllReduce(mustBePlain[T]("AllReduce"), layout.Bytes(&v), func(into, from []byte) {
		layout.Set(into, merge(layout.Get[T](into), layout.Get[T](from)))
	})
	if err != nil {
		return v, err
	}
	return layout.Get[T](result), nil
}

// Broadcast returns the root's v on every rank. T is plain data. It costs P-1 messages in all.
func Broadcast[T any](r *Rank, root int, v T) (T, error) {
	result, err := r.engine.Broadcast(mustBePlain[T]("Broadcast"), root, layout.Bytes(&v))
	if err != nil {
		return v, err
	}
	return layout.Get[T](result), nil
}

// BroadcastBytes returns a copy of the root's value on every rank. The values of the others are not looked at.
func (r *Rank) BroadcastBytes(root int, value []byte) ([]byte, error) {
	return r.engine.Broadcast(nil, root, value)
}

// Gather returns the values of all ranks, by rank, on the root, and nil on the others. T is plain data. It costs P-1
// messages in all.
func Gather[T any](r *Rank, root int, v T) ([]T, error) {
	values, err := r.engine.Gather(mustBePlain[T]("Gather"), root, layout.Bytes(&v))
	if err != nil || values == nil {
		return nil, err
	}
	all := make([]T, len(values))
	for i, value := range values {
		all[i] = layout.Get[T](value)
	}
	return all, nil
}

// GatherBytes returns copies of the values of all ranks, by rank, on the root, and nil on the others. Values may differ in
// length.
func (r *Rank) GatherBytes(root int, value []byte) ([][]byte, error) {
	return r.engine.Gather(nil, root, value)
}

// AllGatherBytes returns copies of the values of all ranks, by rank, on every rank.
func (r *Rank) AllGatherBytes(value []byte) ([][]byte, error) { return r.engine.AllGather(value) }

func mustBePlain[T any](what string) reflect.Type {
	t := reflect.TypeFor[T]()
	if err := layout.Plain(t); err != nil {
		panic(fmt.Sprintf("pebble: %s: %v", what, err))
	}
	return t
}
