// Package layout describes the memory layout of a type of Active Pebbles: whether its values may be sent as they are,
// and a description that is equal on two ranks exactly if their layouts are.
package layout

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// Plain returns nil if values of the type hold all of their meaning in their own bytes: numbers, booleans, and arrays
// and structs of them. Otherwise the error names the part that does not.
func Plain(t reflect.Type) error {
	if path, bad := pointing(t, t.String()); bad != nil {
		return fmt.Errorf("type %v is not plain data: %s is a %s, which means nothing on another rank", t, path, bad)
	}
	return nil
}

// pointing finds the first part of a type that refers to other memory.
func pointing(t reflect.Type, path string) (string, reflect.Type) {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return "", nil
	case reflect.Array:
		return pointing(t.Elem(), path+"[]")
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if p, bad := pointing(f.Type, path+"."+f.Name); bad != nil {
				return p, bad
			}
		}
		return "", nil
	default:
		return path, t
	}
}

// Describe returns the layout of a plain type: the kinds, offsets and names of its parts, and its size.
func Describe(t reflect.Type) string {
	var b strings.Builder
	describe(&b, t)
	fmt.Fprintf(&b, " of %d bytes", t.Size())
	return b.String()
}

func describe(b *strings.Builder, t reflect.Type) {
	switch t.Kind() {
	case reflect.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		describe(b, t.Elem())
	case reflect.Struct:
		b.WriteString("struct{")
		for i := range t.NumField() {
			f := t.Field(i)
			if i > 0 {
				b.WriteString("; ")
			}
			fmt.Fprintf(b, "%s ", f.Name)
			describe(b, f.Type)
			fmt.Fprintf(b, " @%d", f.Offset)
		}
		b.WriteString("}")
	default:
		b.WriteString(t.Kind().String())
	}
}

// Bytes returns the memory of a value of plain data.
func Bytes[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

// Get returns the value of plain data with these bytes, at any alignment.
func Get[T any](value []byte) (v T) {
	copy(Bytes(&v), value)
	return v
}

// Set stores a value of plain data.
func Set[T any](value []byte, v T) { copy(value, Bytes(&v)) }

// BytesOf returns the memory of values of plain data. Values without bytes take one byte each here, to preserve their
// number.
func BytesOf[T any](vs []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	if size == 0 {
		return make([]byte, len(vs))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vs))), len(vs)*size)
}

// GetAll returns the values of plain data from the bytes of [BytesOf], at any alignment.
func GetAll[T any](values []byte) []T {
	all := make([]T, len(values)/max(1, int(unsafe.Sizeof(*new(T)))))
	if unsafe.Sizeof(*new(T)) > 0 {
		copy(BytesOf(all), values)
	}
	return all
}
