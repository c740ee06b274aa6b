package avro

import (
	"fmt"
	"reflect"
	"time"
)

// compiler derives nodes and schema of one type. Avro names records and fixeds, defines each at its first use and
// refers to it by name from then on; the compiler walks in the same order.
type compiler struct {
	named map[reflect.Type]*node
	names map[string]bool
	open  map[reflect.Type]bool // types without a name that are being compiled inside the innermost struct
}

func compile(t reflect.Type) (*node, string, error) {
	c := compiler{named: map[reflect.Type]*node{}, names: map[string]bool{}, open: map[reflect.Type]bool{}}
	return c.compile(t)
}

// compile returns the node of a type and its schema, or a reference to the schema.
func (c *compiler) compile(t reflect.Type) (*node, string, error) {
	if n := c.named[t]; n != nil {
		return n, quote(n.name), nil
	}
	if n := scalar(t); n != nil {
		return n, quote(n.name), nil
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return nil, "", refuse(t, "send its UnixNano and make it again with time.Unix")
	case t.Kind() == reflect.Struct:
		return c.record(t)
	case t.Kind() == reflect.Array && isBytes(t) && t.Len() > 0:
		return c.fixed(t)
	}
	if c.open[t] {
		return nil, "", refuse(t, "it contains itself and no struct, so Avro has no name for it: put a struct in between")
	}
	c.open[t] = true
	defer delete(c.open, t)
	return c.unnamed(t)
}

func (c *compiler) unnamed(t reflect.Type) (*node, string, error) {
	switch t.Kind() {
	case reflect.Slice:
		return c.slice(t)
	case reflect.Array:
		return c.array(t)
	case reflect.Map:
		return c.table(t)
	case reflect.Pointer:
		return c.pointer(t)
	case reflect.Interface:
		return nil, "", refuse(t, "a receiver cannot know its type: use the type itself, or a struct with one pointer for "+
			"each")
	case reflect.Complex64, reflect.Complex128:
		return nil, "", refuse(t, "send its real and its imaginary part")
	default:
		return nil, "", refuse(t, "it means nothing on another rank: send data, or leave the field out with `avro:\"-\"`")
	}
}

func refuse(t reflect.Type, advice string) error {
	return fmt.Errorf("%v cannot travel: %s", t, advice)
}

func isBytes(t reflect.Type) bool { return t.Elem().Kind() == reflect.Uint8 }
