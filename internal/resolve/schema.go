// Package resolve converts Avro binary between schemas, by the rules of Avro's specification ("Schema Resolution"),
// except that names of types need not match. Fields are matched by their names.
package resolve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A schema is a type of Avro.
type schema struct {
	kind    string // name in the specification; also "union"
	fields  []field
	symbols []string
	size    int
	of      []*schema // items, values, or members of a union
}

type field struct {
	name     string
	of       *schema
	fallback []byte // default, in binary; nil for none
}

var primitives = []string{"null", "boolean", "int", "long", "float", "double", "bytes", "string"}

// parse makes a schema from its JSON.
func parse(text string) (*schema, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	p := parser{}
	return p.schema(v, "")
}

// A parser has the named types that it has read.
type parser map[string]*schema

func (p parser) schema(v any, space string) (*schema, error) {
	switch v := v.(type) {
	case string:
		return p.named(v, space)
	case []any:
		s := &schema{kind: "union"}
		for _, member := range v {
			of, err := p.schema(member, space)
			if err != nil {
				return nil, err
			}
			s.of = append(s.of, of)
		}
		return s, nil
	case map[string]any:
		return p.object(v, space)
	}
	return nil, fmt.Errorf("%v is not a type of Avro", v)
}

func (p parser) named(name, space string) (*schema, error) {
	if slices.Contains(primitives, name) {
		return &schema{kind: name}, nil
	}
	for _, full := range []string{fullName(name, space), name} {
		if s := p[full]; s != nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("the type %.80q is not defined before it is used", name)
}

func fullName(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}

func (p parser) object(v map[string]any, space string) (s *schema, err error) {
	kind, isText := v["type"].(string)
	if !isText {
		return p.schema(v["type"], space)
	}
	s = &schema{kind: kind}
	switch kind {
	case "array":
		return s, p.member(s, v["items"], space)
	case "map":
		return s, p.member(s, v["values"], space)
	case "record", "error", "enum", "fixed":
	default:
		return p.named(kind, space)
	}
	name, _ := v["name"].(string)
	if own, ok := v["namespace"].(string); ok {
		space = own
	}
	name = fullName(name, space)
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		space = name[:i]
	}
	if p[name] != nil {
		return nil, fmt.Errorf("the type %.80q is defined twice", name)
	}
	p[name] = s
	switch kind {
	case "fixed":
		size, _ := v["size"].(json.Number)
		n, err := size.Int64()
		s.size = int(n)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("the type %.80q has no size", name)
		}
	case "enum":
		symbols, _ := v["symbols"].([]any)
		for _, symbol := range symbols {
			s.symbols = append(s.symbols, fmt.Sprint(symbol))
		}
	default:
		s.kind = "record"
		return s, p.record(s, v["fields"], space)
	}
	return s, nil
}

func (p parser) member(s *schema, v any, space string) error {
	of, err := p.schema(v, space)
	s.of = []*schema{of}
	return err
}

func (p parser) record(s *schema, v any, space string) error {
	fields, _ := v.([]any)
	for _, v := range fields {
		of, _ := v.(map[string]any)
		name, _ := of["name"].(string)
		t, err := p.schema(of["type"], space)
		if err != nil {
			return err
		}
		f := field{name: name, of: t}
		if slices.ContainsFunc(s.fields, func(other field) bool { return other.name == name }) {
			return fmt.Errorf("a record has the field %.80q twice", name)
		}
		if fallback, ok := of["default"]; ok {
			if f.fallback, err = binaryOf([]byte{}, t, fallback); err != nil {
				return fmt.Errorf("the default of the field %q: %w", name, err)
			}
		}
		s.fields = append(s.fields, f)
	}
	return nil
}

// binaryOf appends the value of a JSON default; for a union, a default belongs to the first member.
func binaryOf(dst []byte, s *schema, v any) ([]byte, error) {
	var text string
	switch x := v.(type) {
	case string:
		text = x
	case json.Number:
		text = x.String()
	}
	switch s.kind {
	case "null":
		return dst, only(v == nil)
	case "boolean":
		b, ok := v.(bool)
		return append(dst, map[bool]byte{true: 1}[b]), only(ok)
	case "int", "long", "float", "double":
		return number(dst, s.kind, text)
	case "string":
		return appendSized(dst, []byte(text)), only(v == any(text))
	case "bytes", "fixed":
		b, ok := latin(text)
		if s.kind == "fixed" {
			return append(dst, b...), only(ok && len(b) == s.size)
		}
		return appendSized(dst, b), only(ok && v == any(text))
	case "enum":
		at := slices.Index(s.symbols, text)
		return appendLong(dst, int64(at)), only(at >= 0)
	case "union":
		if len(s.of) == 0 {
			return dst, errDefault
		}
		return binaryOf(append(dst, 0), s.of[0], v)
	}
	return composed(dst, s, v)
}

// composed is binaryOf for arrays, maps and records.
func composed(dst []byte, s *schema, v any) (_ []byte, err error) {
	list, isList := v.([]any)
	object, isObject := v.(map[string]any)
	if (s.kind == "array") != isList || (s.kind != "array") != isObject {
		return dst, errDefault
	}
	if n := len(list) + len(object); n > 0 && s.kind != "record" {
		dst = appendLong(dst, int64(n))
	}
	for _, item := range list {
		if dst, err = binaryOf(dst, s.of[0], item); err != nil {
			return dst, err
		}
	}
	if s.kind == "record" {
		for _, f := range s.fields {
			item, ok := object[f.name]
			if !ok && f.fallback == nil {
				return dst, errDefault
			} else if !ok {
				dst = append(dst, f.fallback...)
			} else if dst, err = binaryOf(dst, f.of, item); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	for key, item := range object {
		if dst, err = binaryOf(appendSized(dst, []byte(key)), s.of[0], item); err != nil {
			return dst, err
		}
	}
	return append(dst, 0), nil
}

var errDefault = errors.New("it is not a value of the type")

func only(fits bool) error {
	if fits {
		return nil
	}
	return errDefault
}

// latin returns the bytes of a default, given as characters with these numbers.
func latin(text string) ([]byte, bool) {
	var b bytes.Buffer
	for _, r := range text {
		if r > 0xff {
			return nil, false
		}
		b.WriteByte(byte(r))
	}
	return b.Bytes(), true
}
