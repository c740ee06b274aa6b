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

// What can do without types is no generic code, here and in other files: a compiler makes that for each type that a
// program has containers of. It makes all methods of a type, and of functions those that are called: so what is generic
// and not for programs are functions.

// derive gives values that are no plain data, and for which the program gave no codec, one of ours.
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

// wire is how keys and values travel, and entries of them.
type wire struct {
	keys, values codecs.Item
	entry        reflect.Type
	valueAt      uintptr // in an entry
}

func wireOf[K, V any]() wire {
	return wire{codecs.NewItem[K]("key"), codecs.NewItem[V]("value"), reflect.TypeFor[Entry[K, V]](),
		unsafe.Offsetof(Entry[K, V]{}.Value)}
}

// take takes the codecs that the program has given out of options, and derives what is missing.
func (w *wire) take(options []target.Option) (others []target.Option, err error) {
	given, others := codecs.Given(options)
	none := errors.Join(derive(&w.keys), derive(&w.values))
	if err = codecs.Share(given, &w.keys, &w.values); err != nil && none != nil {
		err = none
	}
	return others, err
}

// entries is the codec of entries.
func (w *wire) entries() codecs.Value {
	return codecs.Struct(w.entry, codecs.Field{}, codecs.Field{Value: w.keys.Value},
		codecs.Field{At: w.valueAt, Value: w.values.Value})
}

// coded are the options of a target whose pebbles are of type P, for which codec is, unless they are plain data.
func coded[P any](codec codecs.Value, options []target.Option) []target.Option {
	if layout.Plain(codec.Type) == nil {
		return options
	}
	return with(target.Coded(codecs.Pebbles[P](codec)), options)
}

// with are options with one more before them.
func with(option target.Option, options []target.Option) []target.Option {
	return append([]target.Option{option}, options...)
}

// both are options, in memory of their own.
func both(options, more []target.Option) []target.Option { return slices.Concat(options, more) }

// borrows makes handlers borrow what is strings, and travels as such, from the frames that bring it. So an owner that
// has a key already allocates nothing for it.
func borrows(what *codecs.Item) bool {
	if !what.Is(pebble.Strings{}) {
		return false
	}
	was := what.Value
	what.Value = codecs.NewValue(what.Type, was.Append, func(src []byte, to unsafe.Pointer) error {
		*(*string)(to) = text(src) // good until the handler returns
		return nil
	}, was.Schema)
	return true
}

// text is bytes as a string, for as long as nobody changes them.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// ownKey makes a key of its own of a borrowed one; nil for types whose keys are not borrowed.
func ownKey[K comparable]() func(k K) K {
	own, _ := any(strings.Clone).(func(k K) K)
	return own
}
