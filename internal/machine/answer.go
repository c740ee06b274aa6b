package machine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Answer is the output of a command. Numbers stay in their written form, so that counters beyond 2^53 are exact.
type Answer map[string]any

// Parse reads an answer, which is one JSON object and nothing else.
func Parse(text []byte) (Answer, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var o Answer
	if err := d.Decode(&o); err != nil || o == nil {
		return nil, fmt.Errorf("prints no JSON object, but %q", clipped(text))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("prints more than one JSON object: %q", clipped(text))
	}
	return o, nil
}

func clipped(text []byte) []byte { return text[:min(len(text), 200)] }

// Field returns the value at a path of names.
func (a Answer) Field(path string) any {
	var at any = map[string]any(a)
	for name := range strings.SplitSeq(path, ".") {
		inside, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = inside[name]
	}
	return at
}

// Number returns a field that must be present.
func (a Answer) Number(path string) (float64, error) {
	n, ok := a.Field(path).(json.Number)
	if !ok {
		return 0, fmt.Errorf("field %q is %v, not a number", path, a.Field(path))
	}
	return n.Float64()
}

// Verified returns an error unless the program found its own work correct.
func (a Answer) Verified() error {
	errors, err := a.Number("errors")
	if err == nil && errors != 0 {
		err = fmt.Errorf("its work is wrong: field \"errors\" is %v", errors)
	}
	return err
}

// Counters returns the numbers of the object's field "counters".
func (a Answer) Counters() map[string]json.Number {
	inside, _ := a.Field("counters").(map[string]any)
	all := map[string]json.Number{}
	for name, value := range inside {
		if n, ok := value.(json.Number); ok {
			all[name] = n
		}
	}
	return all
}

// Exact returns the fields that must not change.
func (a Answer) Exact(paths []string) (map[string]string, error) {
	all := map[string]string{}
	for _, path := range paths {
		value := a.Field(path)
		if value == nil {
			return nil, fmt.Errorf("field %q, which is compared, is missing", path)
		}
		all[path] = fmt.Sprint(value)
	}
	return all, nil
}
