package resolve

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A part is a field of a record as written. to is its index among the wanted fields, or -1.
type part struct {
	name string
	turn *turn
	to   int
}

// record makes the turn of a record. It skips fields that are not wanted, and inserts defaults for fields that are not
// written.
func (t turns) record(from, to *schema) (turn, error) {
	var wanted []field
	if to != nil {
		wanted = to.fields
	}
	parts := make([]part, len(from.fields))
	found := make([]bool, len(wanted))
	for i, f := range from.fields {
		p := part{name: f.name, to: slices.IndexFunc(wanted, func(w field) bool { return w.name == f.name })}
		var of *schema
		if p.to >= 0 {
			of, found[p.to] = wanted[p.to].of, true
		}
		var err error
		if p.turn, err = t.of(f.of, of); err != nil {
			return nil, at("."+f.name, err)
		}
		parts[i] = p
	}
	for i, f := range wanted {
		if !found[i] && f.fallback == nil {
			return nil, at("."+f.name, fmt.Errorf("it is not among the fields that the record has, %s: name one of "+
				"these, or give it a default", names(from.fields)))
		}
	}
	if to == nil || ordered(parts) && !slices.Contains(found, false) {
		return inOrder(parts), nil
	}
	return anyOrder(parts, wanted, found), nil
}

func names(fields []field) string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.name
	}
	return fmt.Sprintf("%.200s", strings.Join(all, ", "))
}

// ordered reports whether the wanted order of fields is the written one.
func ordered(parts []part) bool {
	wanted := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.to < 0 })
	return slices.IsSortedFunc(wanted, func(a, b part) int { return a.to - b.to })
}

// errDepth has the text of target/avro.
var errDepth = fmt.Errorf("it nests more than %d records deep", depthMax)

func inOrder(parts []part) turn {
	return func(dst, src []byte, depth int) (out, rest []byte, err error) {
		if depth++; depth > depthMax {
			return nil, nil, errDepth
		}
		for _, p := range parts {
			if dst, src, err = (*p.turn)(dst, src, depth); err != nil {
				return nil, nil, at("."+p.name, err)
			}
		}
		return dst, src, nil
	}
}

// anyOrder puts fields into the wanted order, with defaults for those that are not found.
func anyOrder(parts []part, wanted []field, found []bool) turn {
	return func(dst, src []byte, depth int) (out, rest []byte, err error) {
		if depth++; depth > depthMax {
			return nil, nil, errDepth
		}
		begin := len(dst)
		places := make([][2]int, len(wanted))
		for _, p := range parts {
			before := len(dst)
			if dst, src, err = (*p.turn)(dst, src, depth); err != nil {
				return nil, nil, at("."+p.name, err)
			}
			if p.to >= 0 {
				places[p.to] = [2]int{before - begin, len(dst) - begin}
			}
		}
		given := bytes.Clone(dst[begin:])
		dst = dst[:begin]
		for i, f := range wanted {
			if found[i] {
				dst = append(dst, given[places[i][0]:places[i][1]]...)
			} else {
				dst = append(dst, f.fallback...)
			}
		}
		return dst, src, nil
	}
}

// placed is an error with the place of a value, from the outermost record on.
type placed struct {
	place string
	err   error
}

func at(place string, err error) error {
	var inner *placed
	if errors.As(err, &inner) && len(inner.place) < 200 {
		return &placed{place + inner.place, inner.err}
	}
	return &placed{place, err}
}

func (p *placed) Error() string {
	if name, ok := strings.CutPrefix(p.place, "."); ok {
		return fmt.Sprintf("field %s: %v", name, p.err)
	}
	return fmt.Sprintf("element %s: %v", p.place, p.err)
}

func (p *placed) Unwrap() error { return p.err }
