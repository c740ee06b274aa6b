package dataset

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A Column is a field of a struct that stands for a column of a table.
type Column struct {
	Name     string
	Optional bool // it may be missing or empty, and is then the zero value
	Index    int  // of the field
	set      func(to reflect.Value, text []byte) error
	add      func(dst []byte, from reflect.Value) ([]byte, error)
}

// Set sets the field of a struct from text.
func (c *Column) Set(of reflect.Value, text []byte) error {
	if len(text) == 0 && c.Optional {
		return nil
	}
	if err := c.set(of.Field(c.Index), text); err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	return nil
}

// Append appends the field of a struct as text.
func (c *Column) Append(dst []byte, of reflect.Value) ([]byte, error) {
	dst, err := c.add(dst, of.Field(c.Index))
	if err != nil {
		return dst, fmt.Errorf("column %q: %w", c.Name, err)
	}
	return dst, nil
}

// Columns returns the exported fields of a struct type as columns. A tag gives a column's name, or leaves it out by
// "-":
//
//	`csv:"name"` `csv:"name,optional"` `csv:",optional"` `csv:"-"`
func Columns(t reflect.Type) (all []Column, err error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is not a struct: name a struct type whose fields are columns", t)
	}
	names := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("csv"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		c := Column{Name: name, Optional: option == "optional", Index: i}
		if c.Name == "" {
			c.Name = f.Name
		}
		switch {
		case option != "" && !c.Optional:
			return nil, fmt.Errorf("field %s of %v: unknown option %q in the tag; expected optional", f.Name, t, option)
		case names[c.Name]:
			return nil, fmt.Errorf("field %s of %v: another field is the column %q, too: give one a csv tag", f.Name, t,
				c.Name)
		}
		names[c.Name] = true
		if c.set, c.add = conversions(f.Type); c.set == nil {
			return nil, fmt.Errorf("field %s of %v: no column becomes a %v: use a number, string or "+
				"encoding.TextUnmarshaler, or leave it "+
				"out by the tag `csv:\"-\"`", f.Name, t, f.Type)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%v has no exported field, so no column", t)
	}
	return all, nil
}

type (
	setter   = func(to reflect.Value, text []byte) error
	appender = func(dst []byte, from reflect.Value) ([]byte, error)
)

// conversions returns the conversions between text and a type; nil for types that have none.
func conversions(t reflect.Type) (setter, appender) {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return setText, addText
	}
	switch t.Kind() {
	case reflect.String:
		return func(to reflect.Value, text []byte) error { to.SetString(string(text)); return nil },
			func(dst []byte, from reflect.Value) ([]byte, error) { return append(dst, from.String()...), nil }
	case reflect.Bool:
		return setBool, func(dst []byte, from reflect.Value) ([]byte, error) {
			return strconv.AppendBool(dst,
				from.Bool()), nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return setInt(t.Bits()),
			func(dst []byte, from reflect.Value) ([]byte, error) {
				return strconv.AppendInt(dst, from.Int(), 10), nil
			}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return setUint(t.Bits()),
			func(dst []byte, from reflect.Value) ([]byte, error) {
				return strconv.AppendUint(dst, from.Uint(), 10), nil
			}
	case reflect.Float32, reflect.Float64:
		return setFloat(t.Bits()), addFloat(t.Bits())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return func(to reflect.Value, text []byte) error { to.SetBytes(append([]byte{}, text...)); return nil },
				func(dst []byte, from reflect.Value) ([]byte, error) { return append(dst, from.Bytes()...), nil }
		}
	}
	return nil, nil
}

func setText(to reflect.Value, text []byte) error {
	return to.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(text)
}

func addText(dst []byte, from reflect.Value) ([]byte, error) {
	v, ok := from.Interface().(encoding.TextMarshaler)
	if !ok {
		return dst, fmt.Errorf("%v has no method MarshalText: give it one", from.Type())
	}
	text, err := v.MarshalText()
	return append(dst, text...), err
}

func setBool(to reflect.Value, text []byte) error {
	v, err := strconv.ParseBool(string(text))
	to.SetBool(v)
	return plainly(text, err)
}

func setInt(bits int) setter {
	return func(to reflect.Value, text []byte) error {
		v, err := strconv.ParseInt(string(text), 10, bits)
		to.SetInt(v)
		return plainly(text, err)
	}
}

func setUint(bits int) setter {
	return func(to reflect.Value, text []byte) error {
		v, err := strconv.ParseUint(string(text), 10, bits)
		to.SetUint(v)
		return plainly(text, err)
	}
}

func setFloat(bits int) setter {
	return func(to reflect.Value, text []byte) error {
		v, err := strconv.ParseFloat(string(text), bits)
		to.SetFloat(v)
		return plainly(text, err)
	}
}

func addFloat(bits int) appender {
	return func(dst []byte, from reflect.Value) ([]byte, error) {
		return strconv.AppendFloat(dst, from.Float(), 'g', -1, bits), nil
	}
}

// shown is the number of bytes of a wrong value in an error.
const shown = 40

// plainly returns a strconv error without the name of its function.
func plainly(text []byte, err error) error {
	var cause *strconv.NumError
	if !errors.As(err, &cause) {
		return err
	}
	if len(text) > shown {
		return fmt.Errorf("%q...: %w", text[:shown], cause.Err)
	}
	return fmt.Errorf("%q: %w", text, cause.Err)
}
