// Package codecs makes codecs of pebbles that carry values of a program with something of ours beside them, such as who
// asks. The program gives codecs of its values alone, since it can't name the pebbles.
package codecs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/activepebbles/pebbles/internal/layout"
)

// Codec is pebble.Codec. It is another name for an interface that has none: of an interface with a name the compiler
// makes methods for each V.
type Codec[V any] = interface {
	Append(dst []byte, v V) ([]byte, error)
	Decode(src []byte) (V, error)
}

// Part is values of one type in pebbles of ours.
type Part[V any] struct {
	Name  string   // what they are, in errors
	Codec Codec[V] // that the program has given; nil for plain data
}

// taker is a Part of any type.
type taker interface {
	// Take takes a codec, and reports whether it is for these values.
	Take(codec any) bool
	check() error
	String() string
}

// Take implements taker.
func (p *Part[V]) Take(codec any) bool {
	c, ok := codec.(Codec[V])
	if ok {
		p.Codec = c
	}
	return ok
}

func (p *Part[V]) String() string { return fmt.Sprintf("its %s a %v", p.Name, reflect.TypeFor[V]()) }

func (p *Part[V]) check() error { return check(p.Name, reflect.TypeFor[V](), p.Codec != nil) }

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

// Share gives the codecs that a program has given to the parts that they are for. The error says which one is for none,
// or which part needs one.
func Share(given []any, parts ...taker) error {
	for _, codec := range given {
		if codec == nil {
			return ErrNone
		}
		taken := false
		for _, p := range parts {
			taken = p.Take(codec) || taken
		}
		if !taken {
			return fmt.Errorf("target.Coded got a %T, and none of its values is what that is for: %s", codec,
				list(parts))
		}
	}
	for _, p := range parts {
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

func list(parts []taker) string {
	all := make([]string, len(parts))
	for i, p := range parts {
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

// Tagged is a codec of pebbles that are a value and plain data beside it.
func Tagged[P, V, T any](values Codec[V], split func(p P) (V, T), join func(v V, tag T) P) Codec[P] {
	return tagged[P, V, T]{values, split, join}
}

type tagged[P, V, T any] struct {
	values Codec[V]
	split  func(p P) (V, T)
	join   func(v V, tag T) P
}

func (c tagged[P, V, T]) Append(dst []byte, p P) ([]byte, error) {
	v, tag := c.split(p)
	return c.values.Append(append(dst, layout.Bytes(&tag)...), v)
}

func (c tagged[P, V, T]) Decode(src []byte) (p P, err error) {
	var tag T
	n := len(layout.Bytes(&tag))
	if len(src) < n {
		return p, fmt.Errorf("%d bytes are too few", len(src))
	}
	v, err := c.values.Decode(src[n:])
	if err != nil {
		return p, err
	}
	return c.join(v, layout.Get[T](src[:n])), nil
}

func (c tagged[P, V, T]) Schema() string {
	return fmt.Sprintf("%s, %s", layout.Describe(reflect.TypeFor[T]()), Schema(c.values))
}

// Pair is two values that travel together.
type Pair[A, B any] struct {
	A A
	B B
}

// Both is a codec of pairs.
func Both[A, B any](a Part[A], b Part[B]) Codec[Pair[A, B]] {
	return both[A, B]{OrPlain(a.Codec), OrPlain(b.Codec)}
}

type both[A, B any] struct {
	a Codec[A]
	b Codec[B]
}

const lengthBytes = 4

func (c both[A, B]) Append(dst []byte, p Pair[A, B]) ([]byte, error) {
	at := len(dst)
	dst, err := c.a.Append(append(dst, make([]byte, lengthBytes)...), p.A)
	if err != nil {
		return dst, err
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-lengthBytes))
	return c.b.Append(dst, p.B)
}

func (c both[A, B]) Decode(src []byte) (p Pair[A, B], err error) {
	if len(src) < lengthBytes {
		return p, fmt.Errorf("%d bytes are too few", len(src))
	}
	n, rest := binary.LittleEndian.Uint32(src), src[lengthBytes:]
	if uint64(n) > uint64(len(rest)) {
		return p, fmt.Errorf("a value of %d bytes in %d", n, len(rest))
	}
	if p.A, err = c.a.Decode(rest[:n]); err == nil {
		p.B, err = c.b.Decode(rest[n:])
	}
	return p, err
}

func (c both[A, B]) Schema() string { return Schema(c.a) + ", " + Schema(c.b) }

// OrPlain is a codec, or the one of plain data for nil.
func OrPlain[V any](c Codec[V]) Codec[V] {
	if c == nil {
		return plain[V]{}
	}
	return c
}

// plain is a codec of plain data.
type plain[V any] struct{}

func (plain[V]) Append(dst []byte, v V) ([]byte, error) { return append(dst, layout.Bytes(&v)...), nil }

func (plain[V]) Decode(src []byte) (v V, err error) {
	if len(src) != len(layout.Bytes(&v)) {
		return v, fmt.Errorf("%d bytes are no %v", len(src), reflect.TypeFor[V]())
	}
	return layout.Get[V](src), nil
}

func (plain[V]) Schema() string { return layout.Describe(reflect.TypeFor[V]()) }

// Schema describes what a codec writes.
func Schema(codec any) string {
	if s, ok := codec.(interface{ Schema() string }); ok {
		return s.Schema()
	}
	return reflect.TypeOf(codec).String()
}
