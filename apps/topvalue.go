package apps

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/activepebbles/pebbles/export"
)

// appendKey appends bytes in the order of a column's values: a missing value comes first, then NaN.
func appendKey(dst []byte, c export.Column, row int) []byte {
	if c.Null != nil && c.Null[row] {
		return append(dst, 0)
	}
	const sign = 1 << 63
	dst = append(dst, 1)
	switch v := c.Values.(type) {
	case []int64:
		return binary.BigEndian.AppendUint64(dst, uint64(v[row])^sign)
	case []uint64:
		return binary.BigEndian.AppendUint64(dst, v[row])
	case []float64:
		if math.IsNaN(v[row]) {
			return dst
		}
		bits := math.Float64bits(v[row] + 0) // -0 counts as 0
		if bits&sign != 0 {
			return binary.BigEndian.AppendUint64(dst, ^bits)
		}
		return binary.BigEndian.AppendUint64(dst, bits|sign)
	case []string:
		return append(dst, v[row]...)
	}
	return dst
}

// valueOf returns a value of a column, or nil for a missing one.
func valueOf(c export.Column, row int) any {
	if c.Null != nil && c.Null[row] {
		return nil
	}
	switch v := c.Values.(type) {
	case []int64:
		return v[row]
	case []uint64:
		return v[row]
	case []float64:
		return v[row]
	case []string:
		return v[row]
	}
	return nil
}

// shown returns a row as a JSON object and as text.
func shown(batch []export.Column, row int) (object []byte, text string) {
	var words []string
	for i, c := range batch {
		object = append(object, "{,"[min(i, 1)])
		name, _ := json.Marshal(c.Name)
		value := valueOf(c, row)
		cell, err := json.Marshal(value)
		if err != nil { // infinity and NaN
			cell = []byte("null")
		}
		object = append(append(append(object, name...), ':'), cell...)
		switch value.(type) {
		case float64:
			words = append(words, fmt.Sprintf("%s %.6g", c.Name, value))
		case nil:
		default:
			words = append(words, fmt.Sprintf("%s %v", c.Name, value))
		}
	}
	return append(object, '}'), strings.Join(words, ", ")
}
