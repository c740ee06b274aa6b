package table

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/ingest/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// Pick returns the format of the named columns of tables, for callers that open the files themselves. Values are those
// of [Open], in the order of names. Other columns may have any type. A key that an object of JSON Lines lacks is Null.
// The format belongs to one rank. It is collective.
func Pick(r *pebble.Rank, patterns []string, names ...string) (format ingest.Format[Record], err error) {
	files, err := filesOf(r, patterns)
	if err != nil {
		return format, err
	}
	switch extension(files[0]) {
	case ".csv":
		return textRows(ingest.Comma(','), ingest.Columns(names...)), nil
	case ".tsv":
		return textRows(ingest.Comma('\t'), ingest.Columns(names...)), nil
	case ".avro":
		schema, err := firstSchema(r, patterns)
		if err != nil {
			return format, err
		}
		codec := &record{}
		if codec.schema, err = narrowed(schema, names); err == nil {
			_, err = codec.parse()
		}
		if err != nil {
			return format, fmt.Errorf("read %s: %w", files[0], err)
		}
		return avroRows(codec), nil
	case ".parquet":
		return valueRows(parquet.Values(names...)), nil
	}
	return pickedRows(names), nil
}

// narrowed returns the schema of the named fields of a record, in this order.
func narrowed(schema string, names []string) (string, error) {
	var whole struct {
		Type, Name string
		Fields     []json.RawMessage
	}
	if err := json.Unmarshal([]byte(schema), &whole); err != nil || whole.Type != "record" {
		return "", errNoRecords
	}
	fields := map[string]json.RawMessage{}
	var all []string
	for _, field := range whole.Fields {
		var named struct{ Name string }
		if err := json.Unmarshal(field, &named); err != nil {
			return "", err
		}
		fields[named.Name], all = field, append(all, named.Name)
	}
	whole.Fields = nil
	for _, name := range names {
		if fields[name] == nil {
			return "", errNoColumn(name, all)
		}
		whole.Fields = append(whole.Fields, fields[name])
	}
	text, err := json.Marshal(map[string]any{"type": "record", "name": whole.Name, "fields": whole.Fields})
	return string(text), err
}

// pickedRows is the format of values of JSON objects.
func pickedRows(names []string) ingest.Format[Record] {
	values := make([]Value, len(names))
	return ingest.Convert(ingest.JSONLines[members](), func(at ingest.Place, all members) (_ Record, err error) {
		clear(values)
		found := false
		for _, m := range all {
			i := slices.Index(names, m.key)
			if i < 0 {
				continue
			}
			if values[i], err = m.value(); err != nil {
				return Record{}, err
			}
			found = true
		}
		if !found {
			return Record{}, fmt.Errorf("the object has no key of %q: name one that it has", names)
		}
		return Record{at, values}, nil
	})
}
