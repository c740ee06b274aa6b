package avro

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// node carries the values of one Go type between memory, the natives of goavro and the wire. Nodes of a recursive type
// point to each other, so the functions of another node are read when they are called, never before.
type node struct {
	name  string // goavro's name of the type in a union
	empty bool   // values take no bytes on the wire

	// native converts a value, which must be addressable. The native may share its memory.
	native func(v reflect.Value, depth int) (any, error)
	// check walks over one value on the wire and returns the bytes after it. goavro and set can process all bytes that
	// it accepts.
	check func(src []byte, depth int) ([]byte, error)
	// set stores a native, from checked bytes, in a value that is zero and settable.
	set func(v reflect.Value, native any)
}

// depthMax bounds the nesting of records in one value: goavro and this package recurse, and a goroutine that overflows
// its stack ends the process.
const depthMax = 10_000

var (
	errDepth = fmt.Errorf("it nests more than %d structs deep, or points to itself: send it in parts", depthMax)
	errShort = errors.New("bytes are cut short")
)

// placed is an error at a place in a value. The places are collected innermost first while the error travels up.
type placed struct {
	places []string
	err    error
}

// at adds the place of the value with the error.
func at(place string, err error) error {
	if p, ok := err.(*placed); ok { //nolint:errorlint // only made here, and never wrapped on its way up
		p.places = append(p.places, place)
		return p
	}
	return &placed{places: []string{place}, err: err}
}

// placesMax is the number of places in the text, at either end of a path.
const placesMax = 8

func (p *placed) Error() string {
	var b strings.Builder
	for i := range p.places {
		place := p.places[len(p.places)-1-i]
		switch {
		case i < placesMax || len(p.places)-i <= placesMax:
			b.WriteString(place)
		case i == placesMax:
			b.WriteString("...")
		}
	}
	if path, ok := strings.CutPrefix(b.String(), "."); ok {
		return "field " + path + ": " + p.err.Error()
	}
	return "element " + b.String() + ": " + p.err.Error()
}

func (p *placed) Unwrap() error { return p.err }
