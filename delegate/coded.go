package delegate

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/target"
)

// Coded makes the questions and answers of a delegate travel through codecs, such as those of package target/avro: for strings, slices and
// whatever else is not plain data. A codec that is nil is for a type that is plain data. Each way costs what the codec costs, and 20 bytes.
func Coded[Q, A any](questions target.Codec[Q], answers target.Codec[A]) target.Option {
	c := codecs[Q, A]{questions: codecOf(questions), answers: codecOf(answers)}
	c.Option = target.Coded(c.questions) // which a target of other pebbles refuses
	return c
}

// codecs is an option of a delegate, which gives each of its targets its part.
type codecs[Q, A any] struct {
	target.Option
	questions target.Codec[Q]
	answers   target.Codec[A]
}

func codecOf[V any](c target.Codec[V]) target.Codec[V] {
	if c == nil {
		return plain[V]{}
	}
	return c
}

// plain is a codec of plain data.
type plain[V any] struct{}

func (plain[V]) Append(dst []byte, v V) ([]byte, error) {
	if err := layout.Plain(reflect.TypeFor[V]()); err != nil {
		return nil, fmt.Errorf("%w: give delegate.Coded a codec for it", err)
	}
	return append(dst, layout.Bytes(&v)...), nil
}

func (plain[V]) Decode(src []byte) (v V, err error) {
	if len(src) != len(layout.Bytes(&v)) {
		return v, fmt.Errorf("%d bytes are no %v", len(src), reflect.TypeFor[V]())
	}
	return layout.Get[V](src), nil
}

func (plain[V]) Schema() string { return layout.Describe(reflect.TypeFor[V]()) }

// addressed is a codec of values with the address of who waits for them, or whom they are for.
type addressed[V, P any] struct {
	values target.Codec[V]
	split  func(p P) (V, address)
	join   func(v V, at address) P
}

func (c addressed[V, P]) Append(dst []byte, p P) ([]byte, error) {
	v, at := c.split(p)
	return c.values.Append(binary.LittleEndian.AppendUint64(dst, uint64(at)), v)
}

func (c addressed[V, P]) Decode(src []byte) (p P, err error) {
	if len(src) < 8 {
		return p, fmt.Errorf("%d bytes have no address", len(src))
	}
	v, err := c.values.Decode(src[8:])
	if err != nil {
		return p, err
	}
	return c.join(v, address(binary.LittleEndian.Uint64(src))), nil
}

func (c addressed[V, P]) Schema() string {
	if s, ok := c.values.(interface{ Schema() string }); ok {
		return "address, " + s.Schema()
	}
	return "address, " + reflect.TypeOf(c.values).String()
}

// parted takes the codecs out of a delegate's options, and returns the options of its two targets.
func parted[Q, A any](options []target.Option) (questions, answers []target.Option, coded bool) {
	for _, o := range options {
		c, ok := o.(codecs[Q, A])
		if !ok {
			questions, answers = append(questions, o), append(answers, o)
			continue
		}
		coded = true
		questions = append(questions, target.Coded(addressed[Q, question[Q]]{c.questions,
			func(q question[Q]) (Q, address) { return q.Q, q.From },
			func(v Q, from address) question[Q] { return question[Q]{v, from} }}))
		answers = append(answers, target.Coded(addressed[A, reply[A]]{c.answers,
			func(r reply[A]) (A, address) { return r.A, r.To },
			func(v A, to address) reply[A] { return reply[A]{v, to} }}))
	}
	return questions, answers, coded
}
