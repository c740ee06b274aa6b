package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
)

// value is a variable that is equal on all ranks.
type value[T any] struct {
	coding[T]
	rank  *pebble.Rank
	at    *T
	taken int
}

// Value is a variable with the same value on all ranks, such as the number of a step: rank 0 saves it, and every rank
// restores it. T is plain data or a type of package target/avro.
func Value[T any](name string, at *T) Part { return Part{name, &value[T]{at: at}} }

func (v *value[T]) begin(r *pebble.Rank) (_ string, err error) {
	v.rank, v.taken = r, 0
	if v.coding, err = codingOf[T](); err == nil && v.at == nil {
		err = errors.New("the pointer to its variable is nil")
	}
	return "a value of " + v.of, err
}

func (v *value[T]) save(emit func(record) error) error {
	if v.rank.ID() != 0 {
		return nil
	}
	data, err := v.bytes(nil, []T{*v.at})
	if err != nil {
		return err
	}
	return emit(record{Count: 1, Data: data})
}

func (v *value[T]) load(r record, send func(int, record)) error {
	for to := range v.rank.Size() {
		send(to, r)
	}
	return nil
}

func (v *value[T]) take(r record) error {
	vs, err := v.elements(r)
	if err == nil && len(vs) != 1 {
		err = errRecord
	}
	if err != nil {
		return err
	}
	*v.at = vs[0]
	v.taken++
	return nil
}

func (v *value[T]) finish() error {
	if v.taken != 1 {
		return fmt.Errorf("its value came %d times instead of once", v.taken)
	}
	return nil
}

// perRank is a variable with a value of its own on each rank.
type perRank[T any] struct {
	coding[T]
	rank  *pebble.Rank
	at    *T
	merge func(a, b T) T
	came  []from[T]
	saved int // number of ranks that have saved it
}

// from is a value and the rank that saved it.
type from[T any] struct {
	rank uint64
	v    T
}

// PerRank is a variable with a value of its own on each rank. With as many ranks as before, each rank restores its
// value. With fewer ranks, each gets the values of neighbours, joined by merge in the order of ranks. With more ranks,
// some get none, and keep their value. merge may be nil; then another number of ranks is an error. T is plain data or a
// type of package target/avro.
func PerRank[T any](name string, at *T, merge func(a, b T) T) Part {
	return Part{name, &perRank[T]{at: at, merge: merge}}
}

func (p *perRank[T]) begin(r *pebble.Rank) (_ string, err error) {
	p.rank, p.came = r, nil
	if p.coding, err = codingOf[T](); err == nil && p.at == nil {
		err = errors.New("the pointer to its variable is nil")
	}
	return "a value of each rank, of " + p.of, err
}

func (p *perRank[T]) save(emit func(record) error) error {
	data, err := p.bytes(nil, []T{*p.at})
	if err != nil {
		return err
	}
	return emit(record{Count: 1, First: uint64(p.rank.ID()), Stride: uint64(p.rank.Size()), Data: data})
}

func (p *perRank[T]) load(r record, send func(int, record)) error {
	before, now := int(r.Stride), p.rank.Size()
	if before < 1 || r.First >= r.Stride {
		return errRecord
	}
	if before != now && p.merge == nil {
		return fmt.Errorf("%d ranks have saved a value each, and it has no function that joins them for %d: start the "+
			"program with %d ranks, or give checkpoint.PerRank a function", before, now, before)
	}
	send(int(r.First)*now/before, r)
	return nil
}

func (p *perRank[T]) take(r record) error {
	vs, err := p.elements(r)
	if err == nil && len(vs) != 1 {
		err = errRecord
	}
	if err != nil {
		return err
	}
	p.came, p.saved = append(p.came, from[T]{r.First, vs[0]}), int(r.Stride)
	return nil
}

func (p *perRank[T]) finish() error {
	slices.SortFunc(p.came, func(a, b from[T]) int { return cmp.Compare(a.rank, b.rank) })
	for i, c := range p.came {
		switch {
		case i > 0 && c.rank == p.came[i-1].rank:
			return fmt.Errorf("the value of rank %d came twice", c.rank)
		case i == 0:
			*p.at = c.v
		default:
			*p.at = p.merge(*p.at, c.v)
		}
	}
	p.came = nil
	return nil
}
