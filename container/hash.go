package container

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
)

// hasher computes a number for each of n keys. The number determines the owner of the key, and its slot there. Equal
// keys have equal numbers in all processes of a job.
type hasher func(keys unsafe.Pointer, n int, numbers []uint64)

// newHasher makes the hasher of a type of keys. For keys of one word it is a loop without calls.
func newHasher(t reflect.Type) (hasher, error) {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64, reflect.Uintptr:
		if t.Size() == 8 {
			return func(keys unsafe.Pointer, n int, numbers []uint64) { copy(numbers, unsafe.Slice((*uint64)(keys), n)) }, nil
		}
	case reflect.Int32, reflect.Uint32:
		return func(keys unsafe.Pointer, n int, numbers []uint64) {
			for i, k := range unsafe.Slice((*uint32)(keys), n) {
				numbers[i] = uint64(k)
			}
		}, nil
	case reflect.String:
		return func(keys unsafe.Pointer, n int, numbers []uint64) {
			for i, k := range unsafe.Slice((*string)(keys), n) {
				numbers[i] = distribution.HashString(k)
			}
		}, nil
	}
	fields, err := fieldsOf(t, 0, t.String(), nil)
	if err != nil {
		return nil, err
	}
	size := t.Size()
	return func(keys unsafe.Pointer, n int, numbers []uint64) {
		for i := range n {
			numbers[i] = hashFields(fields, unsafe.Add(keys, uintptr(i)*size))
		}
	}, nil
}

// number computes the numbers of keys, in one call of the hasher.
func number[K any](of hasher, ks []K, numbers []uint64) {
	of(unsafe.Pointer(unsafe.SliceData(ks)), len(ks), numbers)
}

// as converts a slice of keys to another type name with the same layout.
func as[T, K any](ks []K) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(ks))), len(ks))
}

// field is a range of bytes of a key that is compared as one unit. Bytes between fields are padding.
type field struct {
	kind   reflect.Kind // Uint8 for plain bytes; or Float32, Float64, String
	at, to uintptr
}

// fieldsOf appends the fields of a type that begins at an offset of the key.
func fieldsOf(t reflect.Type, at uintptr, name string, fields []field) (_ []field, err error) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" { // == skips blank fields
				if fields, err = fieldsOf(f.Type, at+f.Offset, name+"."+f.Name, fields); err != nil {
					return nil, err
				}
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			if fields, err = fieldsOf(t.Elem(), at+uintptr(i)*t.Elem().Size(), name, fields); err != nil {
				return nil, err
			}
		}
	case reflect.Complex64, reflect.Complex128:
		half, kind := t.Size()/2, reflect.Float32
		if half == 8 {
			kind = reflect.Float64
		}
		fields = append(fields, field{kind, at, at + half}, field{kind, at + half, at + 2*half})
	case reflect.Float32, reflect.Float64, reflect.String:
		fields = append(fields, field{t.Kind(), at, at + t.Size()})
	case reflect.Pointer, reflect.Interface, reflect.Chan, reflect.UnsafePointer:
		return nil, fmt.Errorf("its key has %s of type %v, an address that differs between ranks: use keys of numbers and "+
			"strings", name, t)
	default:
		if n := len(fields); n > 0 && fields[n-1].kind == reflect.Uint8 && fields[n-1].to == at {
			fields[n-1].to += t.Size()
		} else {
			fields = append(fields, field{reflect.Uint8, at, at + t.Size()})
		}
	}
	return fields, nil
}

func hashFields(fields []field, key unsafe.Pointer) uint64 {
	h := uint64(0)
	for _, f := range fields {
		at := unsafe.Add(key, f.at)
		var n uint64
		switch f.kind {
		case reflect.String:
			n = distribution.HashString(*(*string)(at))
		case reflect.Float64:
			n = math.Float64bits(*(*float64)(at) + 0) // -0 becomes 0, since they are equal
		case reflect.Float32:
			n = uint64(math.Float32bits(*(*float32)(at) + 0))
		default:
			n = distribution.HashBytes(unsafe.Slice((*byte)(at), f.to-f.at))
		}
		h = spread(bits.RotateLeft64(h, 5) ^ n)
	}
	return h
}

// spread maps a key's number to a hash for tables: each bit depends on all bits of the number. Owners come from another
// function of the number, so the keys of one rank are spread as well as all keys.
func spread(n uint64) uint64 {
	n *= 0xA24BAED4963EE407
	n ^= n >> 32
	n *= 0x9FB21C651E98DF25
	return n ^ n>>29
}

// spreadAll spreads numbers.
func spreadAll(numbers []uint64) {
	for i, n := range numbers {
		numbers[i] = spread(n)
	}
}

var errNaN = errors.New("a key has a NaN, which is equal to nothing, not even to itself: use another key for it")
