package avro

import (
	"fmt"
	"reflect"
	"strings"
)

// name gives a struct or a fixed a full name that is unique in the schema. Every name has a namespace, since Avro would
// add that of the surrounding record to a name without one.
func (c *compiler) name(t reflect.Type) string {
	full := fullName(t)
	unique := full
	for i := 2; c.names[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", full, i)
	}
	c.names[unique] = true
	return unique
}

// fullName is not unique: types local to functions, and replaced characters, may give equal names.
func fullName(t reflect.Type) string {
	switch {
	case t.Name() != "":
		parts := strings.Split(t.PkgPath(), "/")
		for i, part := range parts {
			parts[i] = clean(part)
		}
		return strings.Join(append(parts, clean(t.Name())), ".")
	case t.Kind() == reflect.Array:
		return fmt.Sprintf("go.bytes%d", t.Len())
	default:
		return "go.struct"
	}
}

// clean converts any text to a part of an Avro name.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if isLetter(r) || isDigit(r) {
			return r
		}
		return '_'
	}, s)
	if !isName(s) {
		return "_" + s
	}
	return s
}

// isName reports whether Avro allows s as the name of a field.
func isName(s string) bool {
	for i, r := range s {
		if !isLetter(r) && (i == 0 || !isDigit(r)) {
			return false
		}
	}
	return s != ""
}

func isLetter(r rune) bool {
	return r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// quote returns an Avro name as a JSON string; it needs no escapes.
func quote(name string) string { return `"` + name + `"` }
