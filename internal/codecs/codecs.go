// Package codecs makes codecs of pebbles that carry values of a program with data of ours, such as the asking rank. The
// program gives codecs of its values alone, since it can't name the pebbles.
package codecs

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Codec is pebble.Codec. It is an alias of an unnamed interface: for a named interface the compiler makes methods for
// each V.
type Codec[V any] = interface {
	Append(dst []byte, v V) ([]byte, error)
	Decode(src []byte) (V, error)
}

// ErrNone is the error of an option without a codec.
var ErrNone = errors.New("target.Coded got no codec: give one, or leave the option out for plain data")

// Given removes the program's codecs from options.
func Given[O any](options []O) (given []any, others []O) {
	for _, o := range options {
		if c, ok := any(o).(interface{ Given() any }); ok {
			given = append(given, c.Given())
		} else {
			others = append(others, o)
		}
	}
	return given, others
}

// Share gives the program's codecs to the items that they are for. The error names a codec without an item, or an item
// that needs one.
func Share(given []any, items ...*Item) error {
	for _, codec := range given {
		if codec == nil {
			return ErrNone
		}
		taken := false
		for _, p := range items {
			taken = p.Take(codec) || taken
		}
		if !taken {
			return fmt.Errorf("target.Coded got a %T, which is a codec of none of these values: %s", codec,
				list(items))
		}
	}
	for _, p := range items {
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

func list(items []*Item) string {
	all := make([]string, len(items))
	for i, p := range items {
		all[i] = p.String()
	}
	text := strings.Join(all, ", ")
	return strings.Replace(text, " a ", " is a ", 1)
}

// Advice returns the option that carries values of a type that is not plain data.
func Advice(t reflect.Type) string {
	return fmt.Sprintf("add target.Coded(%s), or another codec of it", Ready(t))
}

// Ready returns the expression of a codec for a type.
func Ready(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[string]():
		return "pebble.Strings{}"
	case reflect.TypeFor[[]byte]():
		return "pebble.Bytes{}"
	}
	return fmt.Sprintf("avro.Must[%v]()", t)
}

// Schema describes the output of a codec.
func Schema(codec any) string {
	if s, ok := codec.(interface{ Schema() string }); ok {
		return s.Schema()
	}
	return reflect.TypeOf(codec).String()
}
