package avro

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// member is a field of a struct that travels.
type member struct {
	index int
	name  string // in the schema
	place string // in errors
	*node
}

// record is the node of a struct. Its name is registered before its fields are compiled, so that they may refer to it.
func (c *compiler) record(t reflect.Type) (*node, string, error) {
	n := &node{name: c.name(t)}
	c.named[t] = n
	defer func(open map[reflect.Type]bool) { c.open = open }(c.open)
	c.open = map[reflect.Type]bool{}

	members, fields, err := c.members(t)
	if err != nil {
		return nil, "", err
	}
	n.empty = true
	for _, m := range members {
		n.empty = n.empty && m.empty
	}
	n.native = func(v reflect.Value, depth int) (any, error) { return recordNative(v, members, depth+1) }
	n.check = func(src []byte, depth int) ([]byte, error) { return recordCheck(src, members, depth+1) }
	n.set = func(v reflect.Value, native any) {
		values := native.(map[string]any)
		for _, m := range members {
			m.set(v.Field(m.index), values[m.name])
		}
	}
	return n, fmt.Sprintf(`{"name":%s,"type":"record","fields":[%s]}`, quote(n.name), strings.Join(fields, ",")), nil
}

func (c *compiler) members(t reflect.Type) (members []member, fields []string, err error) {
	seen := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, fallback, err := fieldName(f)
		if err == nil && name != "" && seen[name] != "" {
			err = fmt.Errorf("field %s is called %q too: give one of them another name with a tag", seen[name], name)
		}
		if err != nil {
			return nil, nil, at("."+f.Name, err)
		}
		if name == "" {
			continue
		}
		seen[name] = f.Name
		n, schema, err := c.compile(f.Type)
		if err != nil {
			return nil, nil, at("."+f.Name, err)
		}
		members = append(members, member{index: i, name: name, place: "." + f.Name, node: n})
		if fallback != "" {
			fallback = `,"default":` + fallback
		}
		fields = append(fields, fmt.Sprintf(`{"name":%s,"type":%s%s}`, quote(name), schema, fallback))
	}
	return members, fields, nil
}

// fieldName returns the name of a field in the schema, or "" if it is left out, and the JSON of its default.
func fieldName(f reflect.StructField) (name, fallback string, err error) {
	name, option, _ := strings.Cut(f.Tag.Get("avro"), ",")
	fallback, hasDefault := strings.CutPrefix(option, "default=")
	embedded := f.Anonymous && f.Type.Kind() == reflect.Struct // exported fields can be set even if f is not exported
	switch {
	case name == "-" || f.Name == "_":
		return "", "", nil
	case !f.IsExported() && !embedded:
		return "", "", errors.New("it is not exported, so it would be lost: export it, or leave it out with `avro:\"-\"`")
	case option != "" && (!hasDefault || !json.Valid([]byte(fallback))):
		return "", "", fmt.Errorf("%q is not an option: give a default in JSON with `avro:\"name,default=0\"`", option)
	case name == "":
		name = f.Name
	}
	if !isName(name) {
		return "", "", fmt.Errorf("%q is not a name in Avro: give it one of letters, digits and _ with "+
			"`avro:\"name\"`", name)
	}
	return name, fallback, nil
}

func recordNative(v reflect.Value, members []member, depth int) (any, error) {
	if depth > depthMax {
		return nil, errDepth
	}
	values := make(map[string]any, len(members))
	for _, m := range members {
		value, err := m.native(v.Field(m.index), depth)
		if err != nil {
			return nil, at(m.place, err)
		}
		values[m.name] = value
	}
	return values, nil
}

func recordCheck(src []byte, members []member, depth int) ([]byte, error) {
	if depth > depthMax {
		return nil, errDepth
	}
	var err error
	for _, m := range members {
		if src, err = m.check(src, depth); err != nil {
			return nil, at(m.place, err)
		}
	}
	return src, nil
}
