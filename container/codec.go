package container

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Here and in other files, code that can do without types is not generic: the compiler repeats generic code for each
// type of container in a program. It compiles all methods of a type, but only those functions that are called. So
// generic code that programs do not call is in functions.

// derive gives an item a codec if it is not plain data and the program gave none.
func derive(p *codecs.Item) error {
	if p.Coded() || layout.Plain(p.Type) == nil {
		return nil
	}
	switch p.Type {
	case reflect.TypeFor[string]():
		p.Value = codecs.Of[string](pebble.Strings{})
	case reflect.TypeFor[[]byte]():
		p.Value = codecs.Of[[]byte](pebble.Bytes{})
	default:
		codec, err := codecs.Derive(p.Type)
		if err != nil {
			return fmt.Errorf("its %s, a %v, has no codec: %w: give one by target.Coded", p.Name, p.Type, err)
		}
		p.Value = codec
	}
	return nil
}

// wire is the encoding of keys, values and entries.
type wire struct {
	keys, values codecs.Item
	entry        reflect.Type
	valueAt      uintptr // offset in an entry
}

func wireOf[K, V any]() wire {
	return wire{codecs.NewItem[K]("key"), codecs.NewItem[V]("value"), reflect.TypeFor[Entry[K, V]](),
		unsafe.Offsetof(Entry[K, V]{}.Value)}
}

// take removes the codecs for keys and values from options, and derives those that are missing.
func (w *wire) take(options []target.Option) (others []target.Option, err error) {
	given, others := codecs.Given(options)
	none := errors.Join(derive(&w.keys), derive(&w.values))
	if err = codecs.Share(given, &w.keys, &w.values); err != nil && none != nil {
		err = none
	}
	return others, err
}

// entries returns the codec of entries.
func (w *wire) entries() codecs.Value {
	return codecs.Struct(w.entry, codecs.Field{}, codecs.Field{Value: w.keys.Value},
		codecs.Field{At: w.valueAt, Value: w.values.Value})
}

// coded returns options for a target whose pebbles have type P. It adds the codec, unless they are plain data.
func coded[P any](codec codecs.Value, options []target.Option) []target.Option {
	if layout.Plain(codec.Type) == nil {
		return options
	}
	return with(target.Coded(codecs.Pebbles[P](codec)), options)
}

// with returns options with one more at the front.
func with(option target.Option, options []target.Option) []target.Option {
	return append([]target.Option{option}, options...)
}

// both concatenates options, in new memory.
func both(options, more []target.Option) []target.Option { return slices.Concat(options, more) }

// borrows makes handlers borrow strings from the frames that bring them, if what travels as strings. So an owner that
// already has a key allocates nothing for it.
func borrows(what *codecs.Item) bool {
	if !what.Is(pebble.Strings{}) {
		return false
	}
	was := what.Value
	what.Value = codecs.NewValue(what.Type, was.Append, func(src []byte, to unsafe.Pointer) error {
		*(*string)(to) = text(src) // valid until the handler returns
		return nil
	}, was.Schema)
	return true
}

// text returns bytes as a string. The string is valid as long as the bytes do not change.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// ownKey returns the function that copies a borrowed key; nil for types whose keys are not borrowed.
func ownKey[K comparable]() func(k K) K {
	own, _ := any(strings.Clone).(func(k K) K)
	return own
}
