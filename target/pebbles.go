package target

import (
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
)

// pebbles are n pebbles of a target's type, contiguous in memory. The core moves them by their size: generic code is
// compiled once for each type, so only keys, handlers, merges and codecs use the type.
type pebbles struct {
	at unsafe.Pointer
	n  int
}

// of converts a slice to pebbles, and values converts them back.
func of[V any](vs []V) pebbles     { return pebbles{unsafe.Pointer(unsafe.SliceData(vs)), len(vs)} }
func values[V any](ps pebbles) []V { return unsafe.Slice((*V)(ps.at), ps.n) }

// first returns the first n pebbles.
func (ps pebbles) first(n int) pebbles { return pebbles{ps.at, n} }

// element describes the type of a target's pebbles for the core.
type element struct {
	pebble reflect.Type
	size   int
	coder  *coder // for pebbles that travel through a codec, and may hold pointers; nil for plain data
}

// room makes memory for n pebbles.
func (e *element) room(n int) unsafe.Pointer {
	if e.coder != nil {
		return e.coder.room(n)
	}
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, n*e.size/8+1)))
}

// index returns the address of pebble i of those at base.
func (e *element) index(base unsafe.Pointer, i int) unsafe.Pointer { return unsafe.Add(base, i*e.size) }

// rest returns the pebbles after the first n. It never points past the memory, as Go's collector demands.
func (e *element) rest(ps pebbles, n int) pebbles {
	if n == ps.n {
		return ps.first(0)
	}
	return pebbles{e.index(ps.at, n), ps.n - n}
}

// chunk splits off at most one chunk of pebbles.
func (e *element) chunk(ps pebbles) (head, rest pebbles) {
	n := min(ps.n, chunk)
	return ps.first(n), e.rest(ps, n)
}

// copy copies n pebbles.
func (e *element) copy(to, from unsafe.Pointer, n int) {
	if e.coder != nil {
		e.coder.copy(to, from, n)
		return
	}
	coalesce.Move(to, from, n*e.size)
}

// copyOne copies one pebble.
func (e *element) copyOne(to, from unsafe.Pointer) {
	if e.coder != nil {
		e.coder.copy(to, from, 1)
		return
	}
	coalesce.Move(to, from, e.size)
}

// forget clears the pointers in n pebbles.
func (e *element) forget(at unsafe.Pointer, n int) {
	if e.coder != nil {
		e.coder.forget(at, n)
	}
}

// value returns pebble i, for texts.
func (e *element) value(ps pebbles, i int) any {
	return reflect.NewAt(e.pebble, e.index(ps.at, i)).Elem().Interface()
}

// coder is a codec with the operations on values of its type, by address.
type coder struct {
	schema string
	encode func(dst []byte, v unsafe.Pointer) ([]byte, error)
	decode func(src []byte, v unsafe.Pointer) error
	room   func(n int) unsafe.Pointer
	copy   func(to, from unsafe.Pointer, n int)
	forget func(at unsafe.Pointer, n int)
}

func coderOf[V any](codec Codec[V]) *coder {
	return &coder{
		schema: schemaOf(reflect.TypeFor[V](), codec),
		encode: func(dst []byte, v unsafe.Pointer) ([]byte, error) { return codec.Append(dst, *(*V)(v)) },
		decode: func(src []byte, v unsafe.Pointer) (err error) {
			*(*V)(v), err = codec.Decode(src)
			return err
		},
		room: func(n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]V, n))) },
		copy: func(to, from unsafe.Pointer, n int) {
			copy(values[V](pebbles{to, n}), values[V](pebbles{from, n}))
		},
		forget: func(at unsafe.Pointer, n int) { clear(values[V](pebbles{at, n})) },
	}
}
