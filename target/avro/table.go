package avro

import (
	"fmt"
	"reflect"
)

// table is the node of map[string]T.
func (c *compiler) table(t reflect.Type) (*node, string, error) {
	if t.Key().Kind() != reflect.String {
		return nil, "", refuse(t, "Avro's keys are strings: make its keys strings, or send a slice of keys and values")
	}
	elem, schema, err := c.compile(t.Elem())
	if err != nil {
		return nil, "", at("[]", err)
	}
	n := &node{
		name:   "map",
		native: func(v reflect.Value, depth int) (any, error) { return tableNative(v, elem, depth) },
		check:  func(src []byte, depth int) ([]byte, error) { return tableCheck(src, elem, depth) },
		set: func(v reflect.Value, native any) {
			if items := native.(map[string]any); len(items) > 0 {
				tableSet(v, items, elem)
			}
		},
	}
	return n, `{"type":"map","values":` + schema + `}`, nil
}

func tableNative(v reflect.Value, elem *node, depth int) (any, error) {
	items := make(map[string]any, v.Len())
	for it := v.MapRange(); it.Next(); {
		value := reflect.New(v.Type().Elem()).Elem() // elements of a map have no address, and natives may share memory
		value.Set(it.Value())
		item, err := elem.native(value, depth)
		if err != nil {
			return nil, at(fmt.Sprintf("[%q]", it.Key()), err)
		}
		items[it.Key().String()] = item
	}
	return items, nil
}

// tableCheck refuses equal keys, as goavro does: goavro would repeat it at every level, in an error of quadratic cost.
func tableCheck(src []byte, elem *node, depth int) ([]byte, error) {
	seen := map[string]bool{}
	_, rest, err := blocks(src, func(src []byte) ([]byte, error) {
		key, rest, err := sized(src)
		switch {
		case err != nil:
			return nil, err
		case seen[string(key)]:
			return nil, fmt.Errorf("the key %.40q comes twice", key)
		}
		seen[string(key)] = true
		return elem.check(rest, depth)
	})
	return rest, err
}

func tableSet(v reflect.Value, items map[string]any, elem *node) {
	t := v.Type()
	v.Set(reflect.MakeMapWithSize(t, len(items)))
	for key, item := range items {
		value := reflect.New(t.Elem()).Elem()
		elem.set(value, item)
		v.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), value)
	}
}
