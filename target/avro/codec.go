package avro

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/linkedin/goavro/v2"

	"github.com/activepebbles/pebbles/internal/codecs"
)

// Codec converts values of V to Avro binary and back. It satisfies target.Codec[V]. Several goroutines may call its
// methods at once.
type Codec[V any] struct{ of coder }

// New makes the codec of V. Its error names the field of V that cannot travel, and the remedy. It takes some tens of
// microseconds: make one for each type, and share it.
func New[V any]() (*Codec[V], error) {
	of, err := newCoder(reflect.TypeFor[V]())
	if err != nil {
		return nil, err
	}
	return &Codec[V]{of}, nil
}

// Must is New for types that are known to travel: it panics if New returns an error.
func Must[V any]() *Codec[V] {
	c, err := New[V]()
	if err != nil {
		panic("avro: " + err.Error())
	}
	return c
}

// Append appends the Avro binary of v to dst and returns the extended slice. It keeps neither. The entries of a map are
// in no order, so equal values may have different bytes. It fails only if v nests too deep or points to itself; then it
// returns dst unchanged.
func (c *Codec[V]) Append(dst []byte, v V) ([]byte, error) {
	return c.of.append(dst, unsafe.Pointer(&v))
}

// Decode returns the value that Append encoded. The value shares no memory with src. If the bytes are not exactly one
// value, the error names the field at which they went wrong.
func (c *Codec[V]) Decode(src []byte) (V, error) {
	var v V
	err := c.of.decode(src, unsafe.Pointer(&v))
	return v, err
}

// Next decodes the value at the beginning of src, as Decode does, and returns the bytes after it. It reads the
// consecutive records of an object container file.
func (c *Codec[V]) Next(src []byte) (v V, rest []byte, err error) {
	rest, err = c.of.next(src, unsafe.Pointer(&v))
	return v, rest, err
}

// Schema returns the schema in Avro's parsing canonical form, with the defaults of fields. It depends only on V: it is
// equal in all processes, and for types with the same names, Avro types and defaults. Integers of the same Avro type
// are not distinguished.
func (c *Codec[V]) Schema() string { return c.of.wire.Schema() }

// Fingerprint returns the CRC-64-AVRO (Rabin) fingerprint of Schema without defaults.
func (c *Codec[V]) Fingerprint() uint64 { return c.of.wire.Rabin }

// coder is a codec of values by their addresses: its code is the same for all types.
type coder struct {
	of   reflect.Type
	root *node
	wire *goavro.Codec
}

func newCoder(t reflect.Type) (coder, error) {
	root, schema, err := compile(t)
	if err != nil {
		return coder{}, fmt.Errorf("derive schema of %v: %w", t, err)
	}
	wire, err := goavro.NewCodec(schema)
	if err != nil {
		return coder{}, fmt.Errorf("compile schema of %v: %w", t, err)
	}
	return coder{t, root, wire}, nil
}

func init() {
	codecs.Derive = func(t reflect.Type) (codecs.Value, error) {
		c, err := newCoder(t)
		if err != nil {
			return codecs.Value{}, err
		}
		return codecs.NewValue(t, c.append, c.decode, c.wire.CanonicalSchema), nil
	}
}

func (c *coder) append(dst []byte, at unsafe.Pointer) ([]byte, error) {
	native, err := c.root.native(reflect.NewAt(c.of, at).Elem(), 0)
	if err != nil {
		return dst, fmt.Errorf("encode %v: %w", c.of, err)
	}
	out, err := c.wire.BinaryFromNative(dst, native)
	if err != nil {
		return dst, fmt.Errorf("encode %v: %w", c.of, err)
	}
	return out, nil
}

func (c *coder) decode(src []byte, to unsafe.Pointer) error {
	rest, err := c.next(src, to)
	if err == nil && len(rest) != 0 {
		reflect.NewAt(c.of, to).Elem().SetZero()
		return fmt.Errorf("decode %v: %d of %d bytes are left over: sender and receiver differ in type, or the bytes are "+
			"damaged",
			c.of, len(rest), len(src))
	}
	return err
}

func (c *coder) next(src []byte, to unsafe.Pointer) (rest []byte, err error) {
	rest, err = c.root.check(src, 0)
	if err != nil {
		return nil, fmt.Errorf("decode %v: %w", c.of, err)
	}
	native, _, err := c.wire.NativeFromBinary(src[:len(src)-len(rest)])
	if err != nil {
		return nil, fmt.Errorf("decode %v: %w", c.of, err)
	}
	c.root.set(reflect.NewAt(c.of, to).Elem(), native)
	return rest, nil
}
