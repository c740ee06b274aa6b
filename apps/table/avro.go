package table

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/internal/ocf"
	"github.com/activepebbles/pebbles/pebble"
)

// openAvro opens files of flat records, with the schema of the first file.
func openAvro(r *pebble.Rank, files []string, s *Source) (none ingest.Format[Record], err error) {
	schema, err := firstSchema(r, files)
	if err != nil {
		return none, err
	}
	codec := &record{schema: schema}
	if s.Columns, err = codec.parse(); err != nil {
		return none, fmt.Errorf("read Avro: %w", err)
	}
	return avroRows(codec), nil
}

// firstSchema returns the schema of the first file. It is collective.
func firstSchema(r *pebble.Rank, files []string) (string, error) {
	return first(r, files, "avro", func(f file, size int64) (string, error) {
		h, err := ocf.ReadHeader(f, size)
		return h.Schema, err
	})
}

// avroRows is the format of records of Avro files.
func avroRows(codec *record) ingest.Format[Record] {
	return ingest.Convert(ingest.AvroOf[[]Value](codec), func(at ingest.Place, values []Value) (Record, error) {
		return Record{at, values}, nil
	})
}

// record decodes Avro records to values. It is an ingest.AvroCodec.
type record struct {
	schema string
	fields []decoder
	values []Value
}

// A decoder decodes the value at the front of src.
type decoder func(src []byte) (v Value, rest []byte, err error)

// Schema implements ingest.AvroCodec.
func (c *record) Schema() string { return c.schema }

// Next implements ingest.AvroCodec. The values are valid until the next call.
func (c *record) Next(src []byte) ([]Value, []byte, error) {
	c.values = c.values[:0]
	for _, field := range c.fields {
		v, rest, err := field(src)
		if err != nil {
			return nil, nil, err
		}
		c.values, src = append(c.values, v), rest
	}
	return c.values, src, nil
}

var errNoRecords = errors.New("the file does not hold records: write records, whose fields are columns")

// parse makes the decoders, and returns the names of the fields.
func (c *record) parse() (names []string, err error) {
	var schema struct {
		Type   string
		Fields []struct {
			Name string
			Type any
		}
	}
	if err := json.Unmarshal([]byte(c.schema), &schema); err != nil || schema.Type != "record" {
		return nil, errNoRecords
	}
	for _, f := range schema.Fields {
		of, err := decoderOf(f.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		names, c.fields = append(names, f.Name), append(c.fields, of)
	}
	return names, nil
}

var errType = errors.New("it holds values within values: only numbers, texts, truth values, dates and timestamps are " +
	"columns")

// decoderOf returns the decoder of a type in a schema.
func decoderOf(of any) (decoder, error) {
	switch t := of.(type) {
	case string:
		if d := primitives[t]; d != nil {
			return d, nil
		}
	case []any:
		return unionOf(t)
	case map[string]any:
		if d := logical[fmt.Sprint(t["logicalType"])]; d != nil {
			return d, nil
		}
		if symbols, ok := t["symbols"].([]any); ok && t["type"] == "enum" {
			return enum(symbols), nil
		}
		if t["logicalType"] != "decimal" {
			return decoderOf(t["type"])
		}
	}
	return nil, errType
}

func unionOf(members []any) (decoder, error) {
	var all []decoder
	for _, member := range members {
		of, err := decoderOf(member)
		if err != nil {
			return nil, err
		}
		all = append(all, of)
	}
	return func(src []byte) (Value, []byte, error) {
		n, rest, err := long(src)
		if err != nil || n < 0 || n >= int64(len(all)) {
			return Value{}, nil, errDamaged
		}
		return all[n](rest)
	}, nil
}

func enum(symbols []any) decoder {
	return func(src []byte) (Value, []byte, error) {
		n, rest, err := long(src)
		if err != nil || n < 0 || n >= int64(len(symbols)) {
			return Value{}, nil, errDamaged
		}
		return TextOf(fmt.Sprint(symbols[n])), rest, nil
	}
}

var errDamaged = errors.New("a value exceeds its block: the file is damaged, write it again")

var primitives = map[string]decoder{
	"null":    func(src []byte) (Value, []byte, error) { return Value{}, src, nil },
	"boolean": boolean, "int": integer, "long": integer, "string": sized, "bytes": sized,
	"float": func(src []byte) (Value, []byte, error) {
		if len(src) < 4 {
			return Value{}, nil, errDamaged
		}
		return FloatOf(float64(math.Float32frombits(binary.LittleEndian.Uint32(src)))), src[4:], nil
	},
	"double": func(src []byte) (Value, []byte, error) {
		if len(src) < 8 {
			return Value{}, nil, errDamaged
		}
		return FloatOf(math.Float64frombits(binary.LittleEndian.Uint64(src))), src[8:], nil
	},
}

// logical has the decoders of logical types, which become texts.
var logical = map[string]decoder{
	"date":                   dated(time.DateOnly, func(n int64) time.Time { return time.Unix(n*24*60*60, 0) }),
	"timestamp-millis":       dated(time.RFC3339Nano, time.UnixMilli),
	"timestamp-micros":       dated(time.RFC3339Nano, time.UnixMicro),
	"local-timestamp-millis": dated(localTime, time.UnixMilli),
	"local-timestamp-micros": dated(localTime, time.UnixMicro),
}

const localTime = "2006-01-02T15:04:05.999999999"

func dated(layout string, of func(n int64) time.Time) decoder {
	return func(src []byte) (Value, []byte, error) {
		n, rest, err := long(src)
		return TextOf(of(n).UTC().Format(layout)), rest, err
	}
}

func long(src []byte) (int64, []byte, error) {
	n, size := binary.Varint(src)
	if size <= 0 {
		return 0, nil, errDamaged
	}
	return n, src[size:], nil
}

func integer(src []byte) (Value, []byte, error) {
	n, rest, err := long(src)
	return IntOf(n), rest, err
}

func boolean(src []byte) (Value, []byte, error) {
	if len(src) == 0 || !slices.Contains([]byte{0, 1}, src[0]) {
		return Value{}, nil, errDamaged
	}
	return TextOf(fmt.Sprint(src[0] == 1)), src[1:], nil
}

func sized(src []byte) (Value, []byte, error) {
	n, rest, err := long(src)
	if err != nil || n < 0 || n > int64(len(rest)) {
		return Value{}, nil, errDamaged
	}
	return TextOf(string(rest[:n])), rest[n:], nil
}
