package codecs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/layout"
)

// Value is a codec of values of one type, given by their addresses: so its code is the same for all types. The zero
// value has no codec.
type Value struct {
	Type   reflect.Type
	append func(dst []byte, at unsafe.Pointer) ([]byte, error) // nil if the program gave none
	decode func(src []byte, to unsafe.Pointer) error
	schema func() string
	given  any // the program's codec
}

// Derive makes a codec of values of a type without a codec from the program. Package target/avro sets it.
var Derive = func(t reflect.Type) (Value, error) { return Value{}, fmt.Errorf("%v has no codec", t) }

// NewValue makes a codec of values of a type.
func NewValue(t reflect.Type, appends func(dst []byte, at unsafe.Pointer) ([]byte, error),
	decode func(src []byte, to unsafe.Pointer) error, schema func() string) Value {
	return Value{t, appends, decode, schema, nil}
}

// Of makes a Value from a codec of the program.
func Of[V any](c Codec[V]) Value {
	return Value{reflect.TypeFor[V](),
		func(dst []byte, at unsafe.Pointer) ([]byte, error) { return c.Append(dst, *(*V)(at)) },
		func(src []byte, to unsafe.Pointer) error {
			v, err := c.Decode(src)
			*(*V)(to) = v
			return err
		},
		func() string { return Schema(c) }, c}
}

// Is reports whether it is this codec of the program.
func (v *Value) Is(codec any) bool { return v.given == codec }

// Coded reports whether there is a codec: values without one are plain data.
func (v *Value) Coded() bool { return v.append != nil }

// OrPlain returns the codec, or if there is none that of plain data.
func (v Value) OrPlain() Value {
	if v.Coded() {
		return v
	}
	t := v.Type
	size := t.Size()
	return Value{t,
		func(dst []byte, at unsafe.Pointer) ([]byte, error) {
			return append(dst, unsafe.Slice((*byte)(at), size)...), nil
		},
		func(src []byte, to unsafe.Pointer) error {
			if len(src) != int(size) {
				return fmt.Errorf("%d bytes are not a %v", len(src), t)
			}
			copy(unsafe.Slice((*byte)(to), size), src)
			return nil
		},
		func() string { return layout.Describe(t) }, nil}
}

// Append appends the bytes of a value.
func (v *Value) Append(dst []byte, at unsafe.Pointer) ([]byte, error) { return v.append(dst, at) }

// Decode sets a value from its bytes.
func (v *Value) Decode(src []byte, to unsafe.Pointer) error { return v.decode(src, to) }

// Schema describes the output of Append.
func (v *Value) Schema() string { return v.schema() }

// Field is a value in a struct.
type Field struct {
	At uintptr // its offset
	Value
}

// Tag returns a field of plain data of type T in a struct.
func Tag[T any](at uintptr) Field { return Field{at, Value{Type: reflect.TypeFor[T]()}} }

// Struct makes a codec of structs: of plain data that goes first, and of fields. A tag without a type is left out.
func Struct(t reflect.Type, tag Field, fields ...Field) Value {
	for i := range fields {
		fields[i].Value = fields[i].OrPlain()
	}
	s := &structs{fields: fields}
	if tag.Type != nil {
		s.tag, s.tagBytes = tag, int(tag.Type.Size())
	}
	return Value{t, s.append, s.decode, s.schema, nil}
}

type structs struct {
	tag      Field
	tagBytes int
	fields   []Field
}

func (s *structs) append(dst []byte, at unsafe.Pointer) (_ []byte, err error) {
	dst = append(dst, unsafe.Slice((*byte)(unsafe.Add(at, s.tag.At)), s.tagBytes)...)
	last := len(s.fields) - 1
	for i := range s.fields[:last] {
		f := &s.fields[i]
		if dst, err = lengthened(dst, &f.Value, unsafe.Add(at, f.At)); err != nil {
			return dst, err
		}
	}
	return s.fields[last].append(dst, unsafe.Add(at, s.fields[last].At))
}

func (s *structs) decode(src []byte, to unsafe.Pointer) (err error) {
	if len(src) < s.tagBytes {
		return fmt.Errorf("%d bytes are too few", len(src))
	}
	copy(unsafe.Slice((*byte)(unsafe.Add(to, s.tag.At)), s.tagBytes), src)
	src = src[s.tagBytes:]
	last := len(s.fields) - 1
	for i := range s.fields[:last] {
		f := &s.fields[i]
		if len(src) < lengthBytes {
			return fmt.Errorf("%d bytes are too few", len(src))
		}
		n, rest := binary.LittleEndian.Uint32(src), src[lengthBytes:]
		if uint64(n) > uint64(len(rest)) {
			return fmt.Errorf("a value of %d bytes in %d", n, len(rest))
		}
		if err := f.decode(rest[:n], unsafe.Add(to, f.At)); err != nil {
			return err
		}
		src = rest[n:]
	}
	return s.fields[last].decode(src, unsafe.Add(to, s.fields[last].At))
}

func (s *structs) schema() (text string) {
	if s.tag.Type != nil {
		text = layout.Describe(s.tag.Type)
	}
	for i := range s.fields {
		if text != "" {
			text += ", "
		}
		text += s.fields[i].schema()
	}
	return text
}

const lengthBytes = 4

// lengthened appends a value with its length before it.
func lengthened(dst []byte, v *Value, value unsafe.Pointer) ([]byte, error) {
	at := len(dst)
	dst, err := v.append(append(dst, make([]byte, lengthBytes)...), value)
	if err != nil {
		return dst[:at], err
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-lengthBytes))
	return dst, nil
}

// AppendTo appends a value to a list.
func (v *Value) AppendTo(list []byte, at unsafe.Pointer) ([]byte, error) {
	return lengthened(list, v, at)
}

// Each decodes the values of a list, each to an address from room.
func (v *Value) Each(list []byte, room func() unsafe.Pointer) error {
	for len(list) > 0 {
		if len(list) < lengthBytes || len(list)-lengthBytes < int(binary.LittleEndian.Uint32(list)) {
			return errCut
		}
		n := lengthBytes + int(binary.LittleEndian.Uint32(list))
		if err := v.decode(list[lengthBytes:n], room()); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

var errCut = errors.New("a list is cut short")

// List makes a codec of slices of a codec's values.
func List[V any](of Value) Value {
	of = of.OrPlain()
	return Value{reflect.TypeFor[[]V](),
		func(dst []byte, at unsafe.Pointer) (_ []byte, err error) {
			for i := range *(*[]V)(at) {
				if dst, err = of.AppendTo(dst, unsafe.Pointer(&(*(*[]V)(at))[i])); err != nil {
					break
				}
			}
			return dst, err
		},
		func(src []byte, to unsafe.Pointer) error {
			vs := (*[]V)(to)
			*vs = nil
			return of.Each(src, func() unsafe.Pointer {
				*vs = append(*vs, *new(V))
				return unsafe.Pointer(&(*vs)[len(*vs)-1])
			})
		},
		func() string { return "list of " + of.schema() }, nil}
}

// Pebbles makes a codec of pebbles from a Value: the program's codec, or one for one goroutine.
func Pebbles[P any](v Value) Codec[P] {
	if c, ok := v.given.(Codec[P]); ok {
		return c
	}
	return &pebbles[P]{of: v}
}

type pebbles[P any] struct {
	of   Value
	room P // the value in progress: the argument of a function value would be allocated
}

func (c *pebbles[P]) Append(dst []byte, p P) ([]byte, error) {
	c.room = p
	dst, err := c.of.append(dst, unsafe.Pointer(&c.room))
	c.room = *new(P)
	return dst, err
}

func (c *pebbles[P]) Decode(src []byte) (p P, err error) {
	err = c.of.decode(src, unsafe.Pointer(&c.room))
	p, c.room = c.room, p
	return p, err
}

func (c *pebbles[P]) Schema() string { return c.of.schema() }

// Item is a set of values of one type in pebbles of ours, with their codec.
type Item struct {
	Name  string // in errors
	Value        // the program's codec, if any
	typed func(codec any) (Value, bool)
}

// NewItem returns an Item of a type, without a codec.
func NewItem[V any](name string) Item { return Item{name, Value{Type: reflect.TypeFor[V]()}, typed[V]} }

func typed[V any](codec any) (v Value, ok bool) {
	c, ok := codec.(Codec[V])
	if ok {
		v = Of(c)
	}
	return v, ok
}

// Take takes a codec, and reports whether it is for these values.
func (i *Item) Take(codec any) bool {
	v, ok := i.typed(codec)
	if ok {
		i.Value = v
	}
	return ok
}

func (i *Item) String() string { return fmt.Sprintf("its %s a %v", i.Name, i.Type) }

// check returns an error for values that can't travel.
func (i *Item) check() error {
	if err := layout.Plain(i.Type); err != nil && !i.Coded() {
		return fmt.Errorf("its %s: %w: %s", i.Name, err, Advice(i.Type))
	}
	return nil
}
