package resolve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A Turn appends to dst, in the wanted schema, the value at the beginning of src, and returns the rest of src.
type Turn func(dst, src []byte) (out, rest []byte, err error)

// Between makes a Turn from the written schema of values to the wanted one; nil if the bytes are the same. The size of
// its output is at most proportional to that of its input.
func Between(written, wanted string) (Turn, error) {
	from, err := parse(written)
	if err != nil {
		return nil, err
	}
	to, err := parse(wanted)
	if err != nil {
		return nil, fmt.Errorf("the reader's schema: %w", err)
	}
	if (alike{}).same(from, to) {
		return nil, nil
	}
	t, err := turns{}.of(from, to)
	if err != nil {
		return nil, err
	}
	return func(dst, src []byte) (out, rest []byte, err error) { return (*t)(dst, src, 0) }, nil
}

// alike has pairs of schemas whose values have the same bytes, unless others differ.
type alike map[[2]*schema]bool

func (a alike) same(x, y *schema) bool {
	if a[[2]*schema{x, y}] {
		return true
	}
	a[[2]*schema{x, y}] = true
	return x.kind == y.kind && x.size == y.size && slices.Equal(x.symbols, y.symbols) &&
		slices.EqualFunc(x.of, y.of, a.same) &&
		slices.EqualFunc(x.fields, y.fields, func(f, g field) bool { return f.name == g.name && a.same(f.of, g.of) })
}

// Check makes a function that skips the value at the beginning of src, in a schema, and returns the rest. Its error
// describes a value that does not fit the schema. Its time is at most proportional to the size of src.
func Check(written string) (func(src []byte) (rest []byte, err error), error) {
	s, err := parse(written)
	if err != nil {
		return nil, err
	}
	t, err := turns{}.of(s, nil)
	if err != nil {
		return nil, err
	}
	return func(src []byte) (rest []byte, err error) {
		_, rest, err = (*t)(nil, src, 0)
		return rest, err
	}, nil
}

// depthMax bounds records in records, as in target/avro.
const depthMax = 10_000

// turn is a Turn at a depth of records.
type turn func(dst, src []byte, depth int) (out, rest []byte, err error)

// turns caches turns by their schemas: a type may contain itself.
type turns map[[2]*schema]*turn

// of makes a turn. If to is nil, values are not wanted, and it skips them.
func (t turns) of(from, to *schema) (*turn, error) {
	made := t[[2]*schema{from, to}]
	if made != nil {
		return made, nil
	}
	made = new(turn)
	t[[2]*schema{from, to}] = made
	var err error
	*made, err = t.make(from, to)
	if err != nil {
		delete(t, [2]*schema{from, to})
	}
	return made, err
}

func (t turns) make(from, to *schema) (turn, error) {
	switch {
	case from.kind == "union":
		return t.fromUnion(from, to)
	case to != nil && to.kind == "union":
		return t.toUnion(from, to)
	case to != nil && !fits(from, to):
		return nil, fmt.Errorf("it is %s; expected %s", from, to)
	}
	switch from.kind {
	case "record":
		return t.record(from, to)
	case "array", "map":
		return t.blocks(from, to)
	}
	return scalar(from, to), nil
}

func (s *schema) String() string {
	switch s.kind {
	case "union":
		names := make([]string, len(s.of))
		for i, of := range s.of {
			names[i] = of.kind
		}
		return "one of " + strings.Join(names, ", ")
	case "fixed":
		return fmt.Sprintf("fixed of %d bytes", s.size)
	case "enum":
		return fmt.Sprintf("enum of %.100q", s.symbols)
	}
	return s.kind
}

// promoted has the other types that values of a type may be read as.
var promoted = map[string]string{"int": "long float double", "long": "float double", "float": "double",
	"string": "bytes", "bytes": "string"}

// fits reports whether values may be read as another type.
func fits(from, to *schema) bool {
	if from.kind != to.kind {
		return strings.Contains(" "+promoted[from.kind]+" ", " "+to.kind+" ")
	}
	return from.size == to.size && len(from.symbols) <= len(to.symbols) &&
		slices.Equal(from.symbols, to.symbols[:len(from.symbols)])
}

// scalar copies a value without members.
func scalar(from, to *schema) turn {
	if to != nil && from.kind != to.kind && from.kind != "string" && from.kind != "bytes" && to.kind != "long" {
		return func(dst, src []byte, _ int) (out, rest []byte, err error) {
			n, x, err := real(src, from.kind)
			if err != nil {
				return nil, nil, err
			}
			return appendFloat(dst, to.kind, x), src[n:], nil
		}
	}
	return func(dst, src []byte, _ int) (out, rest []byte, err error) {
		n, err := length(src, from)
		if err == nil && n > len(src) {
			err = errShort
		}
		if err != nil {
			return nil, nil, err
		}
		if to != nil {
			dst = append(dst, src[:n]...)
		}
		return dst, src[n:], nil
	}
}

// length returns the size of a value.
func length(src []byte, of *schema) (int, error) {
	switch of.kind {
	case "null":
		return 0, nil
	case "boolean":
		if len(src) > 0 && src[0] > 1 {
			return 0, fmt.Errorf("%d is not a boolean", src[0])
		}
		return 1, nil
	case "float":
		return 4, nil
	case "double":
		return 8, nil
	case "fixed":
		return of.size, nil
	case "bytes", "string":
		return lengthOf(src)
	}
	x, rest, err := integer(src, of.kind)
	if of.kind == "enum" && err == nil && (x < 0 || x >= int64(len(of.symbols))) {
		err = fmt.Errorf("%d is not a symbol of %s", x, of)
	}
	return len(src) - len(rest), err
}

// real reads a number, and returns its size and value.
func real(src []byte, kind string) (n int, x float64, err error) {
	if kind != "float" {
		i, rest, err := integer(src, kind)
		return len(src) - len(rest), float64(i), err
	}
	if len(src) < 4 {
		return 0, 0, errShort
	}
	return 4, float64(math.Float32frombits(binary.LittleEndian.Uint32(src))), nil
}

// fromUnion converts each member of a written union to the wanted schema.
func (t turns) fromUnion(from, to *schema) (turn, error) {
	var members []*turn
	for _, of := range from.of {
		m, err := t.of(of, to)
		if err != nil {
			return nil, fmt.Errorf("it is %s: %w", from, err)
		}
		members = append(members, m)
	}
	return func(dst, src []byte, depth int) (out, rest []byte, err error) {
		at, src, err := long(src)
		if err != nil {
			return nil, nil, err
		}
		if at < 0 || at >= int64(len(members)) {
			return nil, nil, fmt.Errorf("%d is not a member of a union of %d", at, len(members))
		}
		return (*members[at])(dst, src, depth)
	}, nil
}

// toUnion converts to the first member of a union that fits.
func (t turns) toUnion(from, to *schema) (turn, error) {
	for i, of := range to.of {
		before := maps.Clone(t)
		m, err := t.of(from, of)
		if err != nil {
			clear(t) // drops turns that refer to the impossible one
			maps.Copy(t, before)
			continue
		}
		return func(dst, src []byte, depth int) (out, rest []byte, err error) {
			return (*m)(appendLong(dst, int64(i)), src, depth)
		}, nil
	}
	return nil, fmt.Errorf("it is %s; expected %s", from, to)
}

// blocks converts the items of an array or a map. They stand in blocks, each after the number of its items. A negative
// number is followed by the size of the block in bytes.
func (t turns) blocks(from, to *schema) (turn, error) {
	if from.kind == "array" && from.of[0].empty(map[*schema]bool{}) {
		return nil, errors.New("its elements have no bytes, so a few could claim any number of them")
	}
	var wanted *schema
	if to != nil {
		wanted = to.of[0]
	}
	item, err := t.of(from.of[0], wanted)
	if err != nil {
		return nil, at("[]", err)
	}
	key := scalar(&schema{kind: "string"}, wanted)
	return func(dst, src []byte, depth int) (out, rest []byte, err error) {
		for {
			var n int64
			if n, src, err = long(src); err == nil && n < 0 {
				n = -n
				_, src, err = long(src)
			}
			if err == nil && (n < 0 || n > int64(len(src))) {
				err = fmt.Errorf("a count of %d exceeds the %d bytes that follow: %w", n, len(src), errShort)
			}
			if err != nil {
				return nil, nil, err
			}
			if to != nil {
				dst = appendLong(dst, n)
			}
			if n == 0 {
				return dst, src, nil
			}
			for range n {
				if from.kind == "map" {
					if dst, src, err = key(dst, src, depth); err != nil {
						return nil, nil, err
					}
				}
				if dst, src, err = (*item)(dst, src, depth); err != nil {
					return nil, nil, at("[]", err)
				}
			}
		}
	}, nil
}

// empty reports whether values have no bytes. It takes types in seen as empty.
func (s *schema) empty(seen map[*schema]bool) bool {
	if seen[s] {
		return true
	}
	seen[s] = true
	switch s.kind {
	case "null":
		return true
	case "fixed":
		return s.size == 0
	case "record":
		return !slices.ContainsFunc(s.fields, func(f field) bool { return !f.of.empty(seen) })
	}
	return false
}
