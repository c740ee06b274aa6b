package avro

import (
	"fmt"
	"reflect"

	"github.com/linkedin/goavro/v2"
)

// Codec turns values of V into Avro binary and back. It satisfies target.Codec[V]. All methods may be called by several
// goroutines at once.
type Codec[V any] struct {
	root *node
	wire *goavro.Codec
}

// New makes the codec of V. Its error names the field of V that cannot travel and says what to do about it. It takes
// some tens of microseconds: make one for each type, and share it.
func New[V any]() (*Codec[V], error) {
	root, schema, err := compile(reflect.TypeFor[V]())
	if err != nil {
		return nil, fmt.Errorf("derive schema of %v: %w", reflect.TypeFor[V](), err)
	}
	wire, err := goavro.NewCodec(schema)
	if err != nil {
		return nil, fmt.Errorf("compile schema of %v: %w", reflect.TypeFor[V](), err)
	}
	return &Codec[V]{root: root, wire: wire}, nil
}

// Must is New for types that are known to travel: it panics where New returns an error.
func Must[V any]() *Codec[V] {
	c, err := New[V]()
	if err != nil {
		panic("avro: " + err.Error())
	}
	return c
}

// Append appends the Avro binary of v to dst and returns it, as append does. It keeps neither. The bytes of a map are
// in no order, so equal values may have different bytes. The one error is that v nests too deep, or points to itself;
// it returns dst as it was.
func (c *Codec[V]) Append(dst []byte, v V) ([]byte, error) {
	native, err := c.root.native(reflect.ValueOf(&v).Elem(), 0)
	if err != nil {
		return dst, fmt.Errorf("encode %T: %w", v, err)
	}
	out, err := c.wire.BinaryFromNative(dst, native)
	if err != nil {
		return dst, fmt.Errorf("encode %T: %w", v, err)
	}
	return out, nil
}

// Decode makes a value of the bytes that Append appended. The value shares no memory with src. Bytes that do not make
// exactly one value are an error that names the field where they went wrong.
func (c *Codec[V]) Decode(src []byte) (V, error) {
	v, rest, err := c.Next(src)
	if err == nil && len(rest) != 0 {
		var none V
		return none, fmt.Errorf("decode %T: %d of %d bytes are left over: sender and receiver differ in type, or the bytes are damaged",
			v, len(rest), len(src))
	}
	return v, err
}

// Next makes a value of the bytes that src begins with, as Decode does, and returns those that follow: so the records
// of an object container file are read, which stand one behind the other.
func (c *Codec[V]) Next(src []byte) (v V, rest []byte, err error) {
	rest, err = c.root.check(src, 0)
	if err != nil {
		return v, nil, fmt.Errorf("decode %T: %w", v, err)
	}
	native, _, err := c.wire.NativeFromBinary(src[:len(src)-len(rest)])
	if err != nil {
		return v, nil, fmt.Errorf("decode %T: %w", v, err)
	}
	c.root.set(reflect.ValueOf(&v).Elem(), native)
	return v, rest, nil
}

// Schema returns the schema in Avro's parsing canonical form. It depends on nothing but V: equal in all processes, and
// equal for types with the same names and the same Avro types. Integers of the same Avro type are not told apart.
func (c *Codec[V]) Schema() string { return c.wire.CanonicalSchema() }

// Fingerprint returns the CRC-64-AVRO (Rabin) fingerprint of Schema.
func (c *Codec[V]) Fingerprint() uint64 { return c.wire.Rabin }
