package avro

import (
	"bytes"
	"fmt"
	"reflect"
)

// octets is the node of []byte.
func octets() *node {
	return &node{
		name:   "bytes",
		native: func(v reflect.Value, _ int) (any, error) { return v.Bytes(), nil },
		check:  checkSized,
		set: func(v reflect.Value, native any) {
			if b := native.([]byte); len(b) > 0 { // goavro's bytes lie in src
				v.SetBytes(bytes.Clone(b))
			}
		},
	}
}

// fixed is the node of [N]byte.
func (c *compiler) fixed(t reflect.Type) (*node, string, error) {
	n := &node{
		name:   c.name(t),
		native: func(v reflect.Value, _ int) (any, error) { return v.Bytes(), nil },
		check:  func(src []byte, _ int) ([]byte, error) { return skip(src, t.Len()) },
		set:    func(v reflect.Value, native any) { copy(v.Bytes(), native.([]byte)) },
	}
	c.named[t] = n
	return n, fmt.Sprintf(`{"name":%s,"type":"fixed","size":%d}`, quote(n.name), t.Len()), nil
}
