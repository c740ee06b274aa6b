package container

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/target/avro"
)

// derive gives values that are no plain data, and for which the program gave no codec, one of ours.
func derive[T any](p *codecs.Part[T]) error {
	t := reflect.TypeFor[T]()
	if p.Codec != nil || layout.Plain(t) == nil || p.Take(pebble.Strings{}) || p.Take(pebble.Bytes{}) {
		return nil
	}
	codec, err := avro.New[T]()
	if err != nil {
		return fmt.Errorf("its %s, a %v, has no codec: %w: give one by target.Coded", p.Name, t, err)
	}
	p.Codec = codec
	return nil
}

// wire is how keys and values travel.
type wire[K, V any] struct {
	keys   codecs.Part[K]
	values codecs.Part[V]
}

// newWire takes the codecs that the program has given out of options, and derives what is missing.
func newWire[K, V any](options []target.Option) (w wire[K, V], others []target.Option, err error) {
	w.keys.Name, w.values.Name = "key", "value"
	given, others := codecs.Given(options)
	none := errors.Join(derive(&w.keys), derive(&w.values))
	if err = codecs.Share(given, &w.keys, &w.values); err != nil && none != nil {
		err = none
	}
	return w, others, err
}

// borrows makes handlers borrow what is strings, and travels as such, from the frames that bring it.
func borrows[T any](what *codecs.Part[T]) bool {
	return what.Codec == any(pebble.Strings{}) && what.Take(borrowed{})
}

// entries is the codec of entries.
func (w wire[K, V]) entries() codecs.Codec[Entry[K, V]] {
	return entryCodec[K, V]{codecs.Both(w.keys, w.values)}
}

// coded are the options of a target whose pebbles are of type P, for which codec is, unless they are plain data.
func coded[P any](codec codecs.Codec[P], options []target.Option) []target.Option {
	if layout.Plain(reflect.TypeFor[P]()) == nil {
		return options
	}
	return append([]target.Option{target.Coded(codec)}, options...)
}

type entryCodec[K, V any] struct {
	codecs.Codec[codecs.Pair[K, V]]
}

func (c entryCodec[K, V]) Append(dst []byte, e Entry[K, V]) ([]byte, error) {
	return c.Codec.Append(dst, codecs.Pair[K, V]{A: e.Key, B: e.Value})
}

func (c entryCodec[K, V]) Decode(src []byte) (Entry[K, V], error) {
	p, err := c.Codec.Decode(src)
	return Entry[K, V]{p.A, p.B}, err
}

func (c entryCodec[K, V]) Schema() string { return codecs.Schema(c.Codec) }

// derived is the codec of entries of a view whose types are of the program's own.
func derived[K, V any]() (codecs.Codec[Entry[K, V]], error) {
	w, _, err := newWire[K, V](nil)
	return w.entries(), err
}

// borrowed is a codec of strings that lie in the frame which has brought them: good until their handler returns. So an
// owner that has a key already allocates nothing for it.
type borrowed struct{ pebble.Strings }

func (borrowed) Decode(src []byte) (string, error) { return text(src), nil }

// text is bytes as a string, for as long as nobody changes them.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// ownKey makes a key of its own of a borrowed one; nil for types whose keys are not borrowed.
func ownKey[K comparable]() func(k K) K {
	if own, ok := any(strings.Clone).(func(k K) K); ok {
		return own
	}
	return nil
}
