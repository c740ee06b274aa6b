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
type Codec[V any] = interface {
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

// call is one collective call.
type call struct {
	name string
	rank *engine.Rank
	of   engine.Values
}

// begin checks what a collective is called with. The codec is nil for plain data.
//
// What follows are functions, not methods of a generic call: for each T a compiler makes all methods of a type, but of
// functions those that are called.
func begin[T any](r *Rank, name string, given []Codec[T]) (c call, codec Codec[T]) {
	if len(given) > 0 {
		codec = given[0]
	}
	return r.begin(name, reflect.TypeFor[T](), len(given), codec), codec
}

func (r *Rank) begin(name string, t reflect.Type, given int, codec any) call {
	c := call{name: name, rank: r.engine, of: engine.Values{Type: t}}
	switch {
	case given > 1:
		r.engine.Misuse("pebble", "%s with %d codecs: give one, or none for plain data", name, given)
	case given == 1 && codec == nil:
		r.engine.Misuse("pebble", "%s with a codec that is nil: leave it out for plain data", name)
	case given == 1:
		c.of.Codec = codecs.Schema(codec)
	default:
		if err := layout.Plain(t); err != nil {
			r.engine.Misuse("pebble", "%s: %v: give a codec, such as the one of package target/avro", name, err)
		}
	}
	return c
}

// needs ends a call that was given no function to merge with.
func (c *call) needs(given bool) {
	if !given {
		c.rank.Misuse("pebble", "%s without a function that merges: give one, such as pebble.Sum", c.name)
	}
}

// fail ends the job because of a value, and returns its error.
func (c *call) fail(err error) error { return c.rank.FailIn(c.name, err) }

// leave ends the job, and leaves the collective, when there is an error.
func (c *call) leave(err error) {
	if err != nil {
		_ = c.fail(err) // which the collective returns
		c.rank.Leave()
	}
}

// encode appends the bytes of a value.
func encode[T any](codec Codec[T], dst []byte, v T) ([]byte, error) {
	if codec == nil {
		return append(dst, layout.Bytes(&v)...), nil
	}
	b, err := codec.Append(dst, v)
	if err != nil {
		return dst, fmt.Errorf("encode a value: %w", err)
	}
	return b, nil
}

// decode is the value whose bytes these are.
func decode[T any](codec Codec[T], src []byte) (v T, err error) {
	if codec == nil {
		return layout.Get[T](src), nil
	}
	if v, err = codec.Decode(src); err != nil {
		err = fmt.Errorf("decode a value: %w", err)
	}
	return v, err
}

// decodeEach are the values of all ranks.
func decodeEach[T any](c *call, codec Codec[T], all [][]byte) ([]T, error) {
	vs := make([]T, len(all))
	for i, src := range all {
		var err error
		if vs[i], err = decode(codec, src); err != nil {
			return nil, c.fail(err)
		}
	}
	return vs, nil
}
