// Package table is rows of tables whose columns are known only when files are opened: the common part of joining,
// grouping and sorting files.
//
// [Open] reads tables of any format. A row is one string, which a container.Table holds, moves, sorts and spills: a
// key, whose bytes are in the order of keys (see [AppendKey]), and then the values of the columns ([Append], [Values]).
package table

import (
	"encoding/binary"
	"math"
	"strconv"
)

// Kind is the type of a value.
type Kind uint8

// The types of values.
const (
	Null  Kind = iota // no value
	Int               // int64
	Uint              // uint64 above the highest int64
	Float             // float64
	Text
)

// A Value is the value of a column in one row. The zero value is Null.
type Value struct {
	Kind Kind
	bits uint64
	text string
}

// IntOf returns an Int.
func IntOf(n int64) Value { return Value{Kind: Int, bits: uint64(n)} }

// UintOf returns an Int if that can hold n, otherwise a Uint.
func UintOf(n uint64) Value {
	if n <= math.MaxInt64 {
		return IntOf(int64(n))
	}
	return Value{Kind: Uint, bits: n}
}

// FloatOf returns a Float.
func FloatOf(x float64) Value { return Value{Kind: Float, bits: math.Float64bits(x)} }

// TextOf returns a Text, which shares the memory of s.
func TextOf(s string) Value { return Value{Kind: Text, text: s} }

// AppendText appends the value in the form of text files: numbers in the shortest form that reads back as the same
// number, and nothing for Null.
func (v Value) AppendText(dst []byte) []byte {
	switch v.Kind {
	case Int:
		return strconv.AppendInt(dst, int64(v.bits), 10)
	case Uint:
		return strconv.AppendUint(dst, v.bits, 10)
	case Float:
		return strconv.AppendFloat(dst, math.Float64frombits(v.bits), 'g', -1, 64)
	}
	return append(dst, v.text...)
}

// String returns the value in the form of AppendText.
func (v Value) String() string {
	if v.Kind == Text {
		return v.text
	}
	return string(v.AppendText(nil))
}

// Number returns the value as a number. ok is false for Null, and for a Text that is not a number.
func (v Value) Number() (x float64, ok bool) {
	switch v.Kind {
	case Int:
		return float64(int64(v.bits)), true
	case Uint:
		return float64(v.bits), true
	case Float:
		return math.Float64frombits(v.bits), true
	case Text:
		x, err := strconv.ParseFloat(v.text, 64)
		return x, err == nil || math.IsInf(x, 0) && len(v.text) > 0
	}
	return 0, false
}

// Exact returns the value as a number, and the rounding error of integers of more than 53 bits.
func (v Value) Exact() (x, lacks float64, ok bool) {
	if v.Kind == Text && len(v.text) > 15 { // digits that a float64 holds exactly
		if n, err := strconv.ParseInt(v.text, 10, 64); err == nil {
			v = IntOf(n)
		} else if n, err := strconv.ParseUint(v.text, 10, 64); err == nil {
			v = UintOf(n)
		}
	}
	x, ok = v.Number()
	if v.Kind != Int && v.Kind != Uint {
		return x, 0, ok
	}
	rounded := uint64(0) // modulo 2^64
	if x < 0 {
		rounded = uint64(int64(x))
	} else if x < 1<<64 {
		rounded = uint64(x)
	}
	return x, float64(int64(v.bits - rounded)), ok
}

// Append appends values to a row.
func Append(row []byte, values ...Value) []byte {
	for _, v := range values {
		row = append(row, byte(v.Kind))
		switch v.Kind {
		case Int, Uint:
			row = binary.AppendVarint(row, int64(v.bits))
		case Float:
			row = binary.LittleEndian.AppendUint64(row, v.bits)
		case Text:
			row = append(binary.AppendUvarint(row, uint64(len(v.text))), v.text...)
		}
	}
	return row
}

// Values appends to dst the n values at the front of a row, and returns the rest of the row. Texts share its memory.
func Values(dst []Value, row string, n int) (values []Value, rest string) {
	for range n {
		v := Value{Kind: Kind(row[0])}
		row = row[1:]
		switch v.Kind {
		case Int, Uint:
			n, size := varint(row)
			v.bits, row = n>>1^-(n&1), row[size:]
		case Float:
			v.bits, row = word(row), row[8:]
		case Text:
			n, size := varint(row)
			v.text, row = row[size:size+int(n)], row[size+int(n):]
		}
		dst = append(dst, v)
	}
	return dst, row
}

// varint reads an unsigned number, and returns its length in bytes.
func varint(s string) (n uint64, size int) {
	for shift := 0; ; shift += 7 {
		b := s[size]
		size++
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			return n, size
		}
	}
}

// word reads eight bytes in little-endian order.
func word(s string) (n uint64) {
	for i := range 8 {
		n |= uint64(s[i]) << (8 * i)
	}
	return n
}
