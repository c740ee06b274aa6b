package table

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// members are the members of a JSON object, with different keys: ingest.JSONLines rejects others. Values are decoded on
// demand.
type members []member

type member struct {
	key  string
	text json.RawMessage
}

var errObject = errors.New("the line is not a JSON object: write one object per line, with a value for each column")

// UnmarshalJSON implements json.Unmarshaler.
func (m *members) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return errObject
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		one := member{key: token.(string)}
		if err := d.Decode(&one.text); err != nil {
			return err
		}
		*m = append(*m, one)
	}
	return nil
}

// value decodes the member's value for a column.
func (m member) value() (Value, error) {
	d := json.NewDecoder(bytes.NewReader(m.text))
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		return Value{}, err
	}
	v, err := ofToken(token)
	if err != nil {
		return v, fmt.Errorf("column %q: %w", m.key, err)
	}
	return v, nil
}

// ofToken converts a JSON token to a value.
func ofToken(token json.Token) (Value, error) {
	switch v := token.(type) {
	case nil:
		return Value{}, nil
	case bool:
		return TextOf(strconv.FormatBool(v)), nil
	case string:
		return TextOf(v), nil
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return IntOf(n), nil
		}
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return UintOf(n), nil
		}
		x, err := v.Float64()
		return FloatOf(x), err
	}
	return Value{}, errors.New("it holds an array or an object: only numbers, texts, truth values and null are columns")
}

// keys collects the keys of objects, which become columns.
type keys struct {
	places map[string]int
	met    []string // new keys, each behind the place of its first object; nil when all keys are known
}

// openJSON opens files of objects, whose keys are columns. It first reads all rows for their keys.
func openJSON(_ *pebble.Rank, _ []string, s *Source) (ingest.Format[Record], error) {
	var values []Value
	s.keys = &keys{places: map[string]int{}}
	return ingest.Convert(ingest.JSONLines[members](), func(at ingest.Place, all members) (_ Record, err error) {
		values = append(values[:0], make([]Value, len(s.Columns))...)
		for i, m := range all {
			v, err := m.value()
			if err != nil {
				return Record{}, err
			}
			if s.Columns == nil {
				s.keys.meet(at, i, m.key)
				continue
			}
			place, known := s.keys.places[m.key]
			if !known {
				return Record{}, fmt.Errorf("the key %q is new: the file has changed while it was read", m.key)
			}
			values[place] = v
		}
		return Record{at, values}, nil
	}), nil
}

// meet adds a new key. number is its place in its object.
func (k *keys) meet(at ingest.Place, number int, key string) {
	if _, known := k.places[key]; !known {
		k.places[key] = 0
		where := binary.BigEndian.AppendUint32(AppendPlace(nil, at), uint32(number))
		k.met = append(k.met, string(where)+key)
	}
}

// nameKeys reads all rows for their keys, and makes columns of them in the order of first occurrence. It is collective.
func (s *Source) nameKeys(r *pebble.Rank) error {
	for range s.All() {
	}
	if _, err := s.in.Report(); err != nil {
		return err
	}
	all, err := pebble.AllGatherSlice(r, s.keys.met, pebble.Strings{})
	if err != nil {
		return err
	}
	s.Columns, s.keys.places = []string{}, map[string]int{}
	for _, met := range slices.Sorted(slices.Values(slices.Concat(all...))) {
		key := SkipPlace(met)[4:]
		if _, known := s.keys.places[key]; !known {
			s.keys.places[key] = len(s.Columns)
			s.Columns = append(s.Columns, key)
		}
	}
	return nil
}
