package container

import (
	"fmt"
	"reflect"
	"sort"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/engine"
)

// collection gathers values of this rank for a collective of package pebble.
type collection struct {
	engine *engine.Rank
	call   string
	codec  codecs.Value
	list   []byte
	err    error
}

func newCollection(b *base, call string, codec codecs.Value) *collection {
	return &collection{engine: b.engine, call: call, codec: codec.OrPlain()}
}

func (c *collection) values() engine.Values {
	return engine.Values{Type: c.codec.Type, Slice: true, Codec: c.codec.Schema()}
}

// add adds a value.
func (c *collection) add(at unsafe.Pointer) {
	var err error
	if c.list, err = c.codec.AppendTo(c.list, at); err != nil {
		c.failed("encode a value", err)
	}
}

// addAll adds the values of a slice.
func (c *collection) addAll(vs reflect.Value) {
	for i := range vs.Len() {
		c.add(vs.Index(i).Addr().UnsafePointer())
	}
}

func (c *collection) failed(what string, err error) {
	if c.err == nil {
		c.err = c.engine.FailIn(c.call, fmt.Errorf("%s: %w", what, err))
	}
}

// to sets a slice to the values in lists.
func (c *collection) to(vs reflect.Value, lists ...[]byte) error {
	vs.SetLen(0)
	for _, list := range lists {
		if err := c.codec.Each(list, func() unsafe.Pointer {
			n := vs.Len()
			vs.Grow(1)
			vs.SetLen(n + 1)
			v := vs.Index(n)
			v.SetZero()
			return v.Addr().UnsafePointer()
		}); err != nil {
			c.failed("decode a value", err)
		}
	}
	return c.err
}

// place returns a slice as a reflect.Value that can be set.
func place[T any](vs *[]T) reflect.Value { return reflect.ValueOf(vs).Elem() }

// gather sets a slice to the values of all ranks, by rank, on the root.
func (c *collection) gather(root int, vs reflect.Value) error {
	if c.err != nil {
		return c.err
	}
	all, err := c.engine.Collectives.Gather(c.values(), root, c.list)
	if err != nil {
		return err
	}
	return c.to(vs, all...)
}

// allGather sets a slice to the values of all ranks, by rank.
func (c *collection) allGather(vs reflect.Value) error {
	if c.err != nil {
		return c.err
	}
	all, err := c.engine.Collectives.AllGatherV(c.values(), c.list)
	if err != nil {
		return err
	}
	return c.to(vs, all...)
}

// top sets a slice to the first n of the values of all ranks, in the order of less, whose arguments are indices of the
// slice.
func (c *collection) top(n int, vs reflect.Value, less func(i, j int) bool) error {
	first := func() []byte { // keeps the first n of the slice
		sort.SliceStable(vs.Interface(), less)
		vs.SetLen(min(n, vs.Len()))
		c.list = c.list[:0]
		c.addAll(vs)
		return c.list
	}
	if first(); c.err != nil {
		return c.err
	}
	result, err := c.engine.Collectives.AllFold(c.values(), c.list, func(own, from []byte) []byte {
		if c.to(vs, own, from) == nil {
			first()
		}
		if c.err != nil {
			c.engine.Leave()
		}
		return append(own[:0], c.list...)
	})
	if err != nil {
		return err
	}
	return c.to(vs, result)
}
