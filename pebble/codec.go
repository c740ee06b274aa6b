package pebble

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/layout"
)

// Codec carries values that are not plain data, as arguments of collectives and as pebbles (target.Coded). Both methods
// are called on the goroutine of the rank that sends or receives; a codec shared by ranks must be safe for that. A
// codec that also has a method Schema() string describes its wire format by it: descriptions are compared across ranks.
// [Strings] and [Bytes] are ready codecs, and package target/avro has one that works for most types.
type Codec[V any] interface {
	// Append appends the bytes of v to dst and returns it, as append does.
	Append(dst []byte, v V) ([]byte, error)
	// Decode makes a value of the bytes that Append appended. It must not keep src.
	Decode(src []byte) (V, error)
}

// Strings is a [Codec] of strings, which travel as their bytes.
type Strings struct{}

// Append implements Codec.
func (Strings) Append(dst []byte, v string) ([]byte, error) { return append(dst, v...), nil }

// Decode implements Codec.
func (Strings) Decode(src []byte) (string, error) { return string(src), nil }

// Schema names the wire format.
func (Strings) Schema() string { return "string" }

// Bytes is a [Codec] of byte slices. What arrives is a copy, the receiver's own; a slice without bytes arrives as nil.
type Bytes struct{}

// Append implements Codec.
func (Bytes) Append(dst, v []byte) ([]byte, error) { return append(dst, v...), nil }

// Decode implements Codec.
func (Bytes) Decode(src []byte) ([]byte, error) { return append([]byte(nil), src...), nil }

// Schema names the wire format.
func (Bytes) Schema() string { return "bytes" }

// call is one collective call for values of type T.
type call[T any] struct {
	name  string
	rank  *engine.Rank
	of    engine.Values
	codec Codec[T] // nil for plain data
}

// begin checks what a collective is called with.
func begin[T any](r *Rank, name string, given []Codec[T]) call[T] {
	c := call[T]{name: name, rank: r.engine, of: engine.Values{Type: reflect.TypeFor[T]()}}
	switch {
	case len(given) > 1:
		panic(fmt.Sprintf("pebble: %s with %d codecs: give one, or none for plain data", name, len(given)))
	case len(given) == 1 && given[0] == nil:
		panic(fmt.Sprintf("pebble: %s with a codec that is nil: leave it out for plain data", name))
	case len(given) == 1:
		c.codec, c.of.Codec = given[0], codecs.Schema(given[0])
	default:
		if err := layout.Plain(c.of.Type); err != nil {
			panic(fmt.Sprintf("pebble: %s: %v: give a codec, such as the one of package target/avro", name, err))
		}
	}
	return c
}

// needs ends a call that was given no function to merge with.
func (c *call[T]) needs(given bool) {
	if !given {
		panic(fmt.Sprintf("pebble: %s without a function that merges: give one, such as pebble.Sum", c.name))
	}
}

// append appends the bytes of a value.
func (c *call[T]) append(dst []byte, v T) ([]byte, error) {
	if c.codec == nil {
		return append(dst, layout.Bytes(&v)...), nil
	}
	b, err := c.codec.Append(dst, v)
	if err != nil {
		return dst, fmt.Errorf("encode a value: %w", err)
	}
	return b, nil
}

// value is the value whose bytes these are.
func (c *call[T]) value(src []byte) (v T, err error) {
	if c.codec == nil {
		return layout.Get[T](src), nil
	}
	if v, err = c.codec.Decode(src); err != nil {
		err = fmt.Errorf("decode a value: %w", err)
	}
	return v, err
}

// values are those of all ranks.
func (c *call[T]) values(all [][]byte) ([]T, error) {
	vs := make([]T, len(all))
	for i, src := range all {
		var err error
		if vs[i], err = c.value(src); err != nil {
			return nil, c.fail(err)
		}
	}
	return vs, nil
}

// fail ends the job because of a value, and returns its error.
func (c *call[T]) fail(err error) error { return c.rank.FailIn(c.name, err) }
