package pebble

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/layout"
)

// Codec encodes values that are not plain data, as arguments of collectives and as pebbles (target.Coded). Both methods
// are called on the goroutine of the rank that sends or receives; a codec that ranks share must be safe for that. If a
// codec also has a method Schema() string, its result describes the wire format, and is compared across ranks.
// [Strings] and [Bytes] are ready codecs. Package target/avro has one for most types.
type Codec[V any] = interface {
	// Append appends the encoding of v to dst and returns the extended slice.
	Append(dst []byte, v V) ([]byte, error)
	// Decode returns the value that Append encoded. It must not keep src.
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

// Bytes is a [Codec] of byte slices. The receiver owns the copy that arrives. An empty slice arrives as nil.
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

// begin checks the arguments of a collective. The codec is nil for plain data.
//
// The helpers below are functions, not methods of a generic call: for each T, a compiler makes all methods of a type,
// but only those functions that are called.
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

// needs ends the job if the call was given no merge function.
func (c *call) needs(given bool) {
	if !given {
		c.rank.Misuse("pebble", "%s without a function that merges: give one, such as pebble.Sum", c.name)
	}
}

// fail ends the job with the error of a value, and returns the job's error.
func (c *call) fail(err error) error { return c.rank.FailIn(c.name, err) }

// leave ends the job and leaves the collective if err is not nil.
func (c *call) leave(err error) {
	if err != nil {
		_ = c.fail(err) // the collective returns it
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

// decode returns the value that encode encoded.
func decode[T any](codec Codec[T], src []byte) (v T, err error) {
	if codec == nil {
		return layout.Get[T](src), nil
	}
	if v, err = codec.Decode(src); err != nil {
		err = fmt.Errorf("decode a value: %w", err)
	}
	return v, err
}

// decodeOne is decode for the result of a collective.
func decodeOne[T any](c *call, codec Codec[T], src []byte) (v T, err error) {
	if v, err = decode(codec, src); err != nil {
		err = c.fail(err)
	}
	return v, err
}

// decodeEach decodes the values of all ranks.
func decodeEach[T any](c *call, codec Codec[T], all [][]byte) ([]T, error) {
	vs := make([]T, len(all))
	for i, src := range all {
		var err error
		if vs[i], err = decodeOne(c, codec, src); err != nil {
			return nil, err
		}
	}
	return vs, nil
}
