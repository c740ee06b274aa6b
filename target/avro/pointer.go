package avro

import (
	"fmt"
	"reflect"

	"github.com/linkedin/goavro/v2"
)

// pointer is the node of *T.
func (c *compiler) pointer(t reflect.Type) (*node, string, error) {
	if t.Elem().Kind() == reflect.Pointer {
		return nil, "", refuse(t, "Avro has no union in a union: use one pointer, or put a struct in between")
	}
	elem, schema, err := c.compile(t.Elem())
	if err != nil {
		return nil, "", err
	}
	n := &node{
		name: "union",
		native: func(v reflect.Value, depth int) (any, error) {
			if v.IsNil() {
				return nil, nil
			}
			item, err := elem.native(v.Elem(), depth)
			return goavro.Union(elem.name, item), err
		},
		check: func(src []byte, depth int) ([]byte, error) {
			member, rest, err := long(src)
			switch {
			case err != nil || member == 0:
				return rest, err
			case member != 1:
				return nil, fmt.Errorf("%d is neither nil nor a %v", member, t)
			}
			return elem.check(rest, depth)
		},
		set: func(v reflect.Value, native any) {
			if native != nil {
				v.Set(reflect.New(t.Elem()).Convert(t)) // New's type has no name, t may have one
				elem.set(v.Elem(), native.(map[string]any)[elem.name])
			}
		},
	}
	return n, `["null",` + schema + `]`, nil
}
