package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// object is what a command prints. Numbers stay as they are written, so that counters beyond 2^53 are exact.
type object map[string]any

func parse(text []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var o object
	if err := d.Decode(&o); err != nil || o == nil {
		return nil, fmt.Errorf("prints no JSON object, but %q", clipped(text))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("prints more than one JSON object: %q", clipped(text))
	}
	return o, nil
}

func clipped(text []byte) []byte { return text[:min(len(text), 200)] }

// field finds a value by the names that lead to it.
func (o object) field(path string) any {
	var at any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		inside, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = inside[name]
	}
	return at
}

// number is a field that must be there.
func (o object) number(path string) (float64, error) {
	n, ok := o.field(path).(json.Number)
	if !ok {
		return 0, fmt.Errorf("field %q is %v, not a number", path, o.field(path))
	}
	return n.Float64()
}

// verified returns an error unless the program found its own work right.
func (o object) verified() error {
	errors, err := o.number("errors")
	if err == nil && errors != 0 {
		err = fmt.Errorf("its work is wrong: field \"errors\" is %v", errors)
	}
	return err
}

// counters are the numbers of the object's field "counters".
func (o object) counters() map[string]json.Number {
	inside, _ := o.field("counters").(map[string]any)
	all := map[string]json.Number{}
	for name, value := range inside {
		if n, ok := value.(json.Number); ok {
			all[name] = n
		}
	}
	return all
}

// exact are the fields that must not change.
func (o object) exact(paths []string) (map[string]string, error) {
	all := map[string]string{}
	for _, path := range paths {
		value := o.field(path)
		if value == nil {
			return nil, fmt.Errorf("field %q, which is compared, is missing", path)
		}
		all[path] = fmt.Sprint(value)
	}
	return all, nil
}
