package avro

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
)

// scalar returns the node of a type that contains no others, or nil.
func scalar(t reflect.Type) *node {
	switch t.Kind() {
	case reflect.Bool:
		return boolean()
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return signed("int", t, func(x int64) any { return int32(x) })
	case reflect.Int, reflect.Int64:
		return signed("long", t, func(x int64) any { return x })
	case reflect.Uint8, reflect.Uint16:
		return unsigned("int", t, func(x uint64) any { return int32(x) })
	case reflect.Uint32, reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return unsigned("long", t, func(x uint64) any { return int64(x) })
	case reflect.Float32:
		return float[float32]("float")
	case reflect.Float64:
		return float[float64]("double")
	case reflect.String:
		return text()
	default:
		return nil
	}
}

func boolean() *node {
	return &node{
		name:   "boolean",
		native: func(v reflect.Value, _ int) (any, error) { return v.Bool(), nil },
		check: func(src []byte, _ int) ([]byte, error) {
			if len(src) > 0 && src[0] > 1 {
				return nil, fmt.Errorf("%d is not a boolean", src[0])
			}
			return skip(src, 1)
		},
		set: func(v reflect.Value, native any) { v.SetBool(native.(bool)) },
	}
}

func signed(name string, t reflect.Type, native func(int64) any) *node {
	spare := 64 - t.Bits()
	return &node{
		name:   name,
		native: func(v reflect.Value, _ int) (any, error) { return native(v.Int()), nil },
		check: func(src []byte, _ int) ([]byte, error) {
			x, rest, err := long(src)
			if err == nil && x<<spare>>spare != x {
				err = fmt.Errorf("%d does not fit %v", x, t)
			}
			return rest, err
		},
		set: func(v reflect.Value, native any) { v.SetInt(integer(native)) },
	}
}

func unsigned(name string, t reflect.Type, native func(uint64) any) *node {
	spare := 64 - t.Bits()
	return &node{
		name:   name,
		native: func(v reflect.Value, _ int) (any, error) { return native(v.Uint()), nil },
		check: func(src []byte, _ int) ([]byte, error) {
			x, rest, err := long(src)
			if err == nil && uint64(x)<<spare>>spare != uint64(x) {
				err = fmt.Errorf("%d does not fit %v", x, t)
			}
			return rest, err
		},
		set: func(v reflect.Value, native any) { v.SetUint(uint64(integer(native))) },
	}
}

func integer(native any) int64 {
	if x, ok := native.(int32); ok {
		return int64(x)
	}
	return native.(int64)
}

// float converts from type to type, since SetFloat would change the bits of some NaNs.
func float[F float32 | float64](name string) *node {
	plain := reflect.TypeFor[F]()
	size := int(plain.Size())
	return &node{
		name:   name,
		native: func(v reflect.Value, _ int) (any, error) { return v.Convert(plain).Interface(), nil },
		check:  func(src []byte, _ int) ([]byte, error) { return skip(src, size) },
		set:    func(v reflect.Value, native any) { v.Set(reflect.ValueOf(native).Convert(v.Type())) },
	}
}

func text() *node {
	return &node{
		name:   "string",
		native: func(v reflect.Value, _ int) (any, error) { return v.String(), nil },
		check:  checkSized,
		set:    func(v reflect.Value, native any) { v.SetString(native.(string)) },
	}
}

// long reads the zigzag varint that is Avro's int and long.
func long(src []byte) (int64, []byte, error) {
	x, n := binary.Varint(src)
	switch {
	case n == 0:
		return 0, nil, errShort
	case n < 0:
		return 0, nil, errors.New("a number has more than 64 bits")
	}
	return x, src[n:], nil
}

// sized reads a length and the bytes after it. They lie in src.
func sized(src []byte) (b, rest []byte, err error) {
	size, rest, err := long(src)
	switch {
	case err != nil:
		return nil, nil, err
	case size < 0 || size > int64(len(rest)):
		return nil, nil, fmt.Errorf("a length of %d exceeds the %d bytes that follow: %w", size, len(rest), errShort)
	}
	return rest[:size], rest[size:], nil
}

func checkSized(src []byte, _ int) ([]byte, error) {
	_, rest, err := sized(src)
	return rest, err
}

func skip(src []byte, size int) ([]byte, error) {
	if len(src) < size {
		return nil, errShort
	}
	return src[size:], nil
}
