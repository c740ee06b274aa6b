// Package codecs makes codecs of pebbles that carry values of a program with something of ours beside them, such as who
// asks. The program gives codecs of its values alone, since it can't name the pebbles.
package codecs

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Codec is pebble.Codec. It is another name for an interface that has none: of an interface with a name the compiler
// makes methods for each V.
type Codec[V any] = interface {
	Append(dst []byte, v V) ([]byte, error)
	Decode(src []byte) (V, error)
}

// ErrNone is the error of an option without a codec.
var ErrNone = errors.New("target.Coded got no codec: give one, or leave the option out for plain data")

// Given takes the codecs that the program has given out of options.
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

// Share gives the codecs that a program has given to the items that they are for. The error says which one is for none,
// or which item needs one.
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
			return fmt.Errorf("target.Coded got a %T, and none of its values is what that is for: %s", codec,
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

// Advice says which option carries values of a type that is not plain data.
func Advice(t reflect.Type) string {
	return fmt.Sprintf("add target.Coded(%s), or another codec of it", Ready(t))
}

// Ready names a codec for a type, as a program would write it.
func Ready(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[string]():
		return "pebble.Strings{}"
	case reflect.TypeFor[[]byte]():
		return "pebble.Bytes{}"
	}
	return fmt.Sprintf("avro.Must[%v]()", t)
}

// Schema describes what a codec writes.
func Schema(codec any) string {
	if s, ok := codec.(interface{ Schema() string }); ok {
		return s.Schema()
	}
	return reflect.TypeOf(codec).String()
}
