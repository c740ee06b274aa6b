package avro

import (
	"fmt"
	"reflect"
)

// slice is the node of []T.
func (c *compiler) slice(t reflect.Type) (*node, string, error) {
	if isBytes(t) {
		return octets(), quote("bytes"), nil
	}
	elem, schema, err := c.elem(t)
	if err != nil {
		return nil, "", err
	}
	n := list(elem)
	n.check = func(src []byte, depth int) ([]byte, error) {
		_, rest, err := blocks(src, func(src []byte) ([]byte, error) { return elem.check(src, depth) })
		return rest, err
	}
	n.set = func(v reflect.Value, native any) {
		if items := native.([]any); len(items) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
			fill(v, items, elem)
		}
	}
	return n, schema, nil
}

// array is the node of [N]T. Its length travels, and is checked.
func (c *compiler) array(t reflect.Type) (*node, string, error) {
	elem, schema, err := c.elem(t)
	if err != nil {
		return nil, "", err
	}
	n := list(elem)
	n.check = func(src []byte, depth int) ([]byte, error) {
		count, rest, err := blocks(src, func(src []byte) ([]byte, error) { return elem.check(src, depth) })
		if err == nil && count != t.Len() {
			err = fmt.Errorf("%d elements came for %v", count, t)
		}
		return rest, err
	}
	n.set = func(v reflect.Value, native any) { fill(v, native.([]any), elem) }
	return n, schema, nil
}

// elem compiles the elements. Elements without bytes are refused, since a few damaged bytes could claim any number of
// them.
func (c *compiler) elem(t reflect.Type) (*node, string, error) {
	elem, schema, err := c.compile(t.Elem())
	if err != nil {
		return nil, "", at("[]", err)
	}
	if elem.empty {
		return nil, "", refuse(t, "its elements have no bytes: send their number")
	}
	return elem, `{"type":"array","items":` + schema + `}`, nil
}

func list(elem *node) *node {
	return &node{
		name: "array",
		native: func(v reflect.Value, depth int) (any, error) {
			items := make([]any, v.Len())
			for i := range items {
				item, err := elem.native(v.Index(i), depth)
				if err != nil {
					return nil, at(fmt.Sprintf("[%d]", i), err)
				}
				items[i] = item
			}
			return items, nil
		},
	}
}

func fill(v reflect.Value, items []any, elem *node) {
	for i, item := range items {
		elem.set(v.Index(i), item)
	}
}

// blocks walks over the blocks of an array or a map and counts their items, which have at least one byte each: goavro
// allocates for the count before it reads the items.
func blocks(src []byte, item func(src []byte) ([]byte, error)) (total int, rest []byte, err error) {
	for {
		count, rest, err := long(src)
		switch {
		case err != nil:
			return 0, nil, err
		case count == 0:
			return total, rest, nil
		case count < 0 || count > int64(len(rest)):
			return 0, nil, fmt.Errorf("a count of %d exceeds the %d bytes that follow: %w", count, len(rest), errShort)
		}
		for range count {
			if rest, err = item(rest); err != nil {
				return 0, nil, at(fmt.Sprintf("[%d]", total), err)
			}
			total++
		}
		src = rest
	}
}
