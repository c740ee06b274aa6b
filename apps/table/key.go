package table

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/activepebbles/pebbles/ingest"
)

// Parts of keys begin with a class, and no part is a prefix of another one. So keys of several parts are in the order
// of the first part, then of the second one.
const (
	classTextFirst = 0x0f // in reverse order
	classLow       = 0x10 // -Inf
	classBelow     = 0x11 // numbers below 0
	classZero      = 0x12
	classAbove     = 0x13
	classHigh      = 0x14 // Inf
	classNaN       = 0x15
	classText      = 0x16
	classAbsent    = 0x17
)

// AppendKey appends a value as a part of a key: numbers first, by value, then texts by their bytes, then Null. A Text
// that is a number counts as a number. Values have equal parts if their texts are equal.
func AppendKey(key []byte, v Value) []byte {
	if v.Kind == Null {
		return append(key, classAbsent)
	}
	var room [64]byte
	text := v.AppendText(room[:0])
	number, rest := AppendNumber(key, text, false)
	if rest < len(text) { // not a number, or more than one
		number = append(key, classText)
	}
	return AppendTextKey(number, text, false)
}

// AppendTextKey appends a text as a part of a key, in the order of its bytes or in reverse order.
func AppendTextKey(key, text []byte, reverse bool) []byte {
	flip := flipOf(reverse)
	for _, b := range text {
		if key = append(key, b^flip); b == 0 {
			key = append(key, 0xff^flip)
		}
	}
	return append(key, 0^flip, 1^flip)
}

// TextKey appends the text of the AppendTextKey part at the front of a row, and returns the rest of the row.
func TextKey(dst []byte, row string, reverse bool) (text []byte, rest string) {
	flip := flipOf(reverse)
	for at := 0; ; at++ {
		b := row[at] ^ flip
		if b == 0 {
			if at++; row[at]^flip == 1 {
				return dst, row[at+1:]
			}
		}
		dst = append(dst, b)
	}
}

// TextKeyLen returns the length of the AppendTextKey part at the front of a row.
func TextKeyLen(row string, reverse bool) int {
	end := "\x00\x01"
	if reverse {
		end = "\xff\xfe"
	}
	return strings.Index(row, end) + len(end)
}

func flipOf(reverse bool) byte {
	if reverse {
		return 0xff
	}
	return 0
}

// AppendNumber appends the number at the front of a text, after blanks, as a part of a key, and returns the number of
// bytes of the text that it takes: those that the C function strtold takes, but read exactly, whatever the number of
// digits. A text without a number takes 0 bytes, and comes after all numbers and NaN. reverse makes numbers descend;
// NaN and texts still come last.
func AppendNumber(key, text []byte, reverse bool) (appended []byte, taken int) {
	n := scan(text)
	n.negative = n.negative != reverse
	switch {
	case n.taken == 0:
		return append(key, classText), 0
	case n.nan:
		return append(key, classNaN), n.taken
	case n.infinite && n.negative:
		return append(key, classLow), n.taken
	case n.infinite:
		return append(key, classHigh), n.taken
	case len(n.digits) == 0:
		return append(key, classZero), n.taken
	}
	begin := len(key)
	key = append(key, classAbove)
	key = binary.BigEndian.AppendUint32(key, uint32(n.exponent)^1<<31)
	for _, d := range n.digits {
		key = append(key, d+1) // above the end mark
	}
	if key = append(key, 0); n.negative {
		for i := begin; i < len(key); i++ {
			key[i] = ^key[i]
		}
		key[begin] = classBelow
	}
	return key, n.taken
}

// NumberLen returns the length of the AppendNumber part at the front of a row.
func NumberLen(row string) int {
	const digits = 1 + 4 // behind class and exponent
	switch row[0] {
	case classAbove:
		return digits + strings.IndexByte(row[digits:], 0) + 1
	case classBelow:
		return digits + strings.IndexByte(row[digits:], 0xff) + 1
	}
	return 1
}

// AppendPlace appends the place of a row as a part of a key.
func AppendPlace(key []byte, at ingest.Place) []byte {
	for _, n := range []uint64{uint64(at.File), uint64(at.From), uint64(at.Record)} {
		size := (bits.Len64(n) + 7) / 8
		key = append(key, byte(size))
		for i := size - 1; i >= 0; i-- {
			key = append(key, byte(n>>(8*i)))
		}
	}
	return key
}

// SkipPlace returns the rest of a row behind a place.
func SkipPlace(row string) string {
	for range 3 {
		row = row[1+int(row[0]):]
	}
	return row
}

// AppendColumnKey appends a value of the column that a table is sorted by as a part of a key. Values that are numbers
// in the file, or all values if numeric is set, are in the order of AppendNumber. Texts follow them, or with reverse
// precede them.
func AppendColumnKey(key []byte, v Value, numeric, reverse bool) []byte {
	var room [64]byte
	text := v.AppendText(room[:0])
	if numeric || v.Kind != Text && v.Kind != Null {
		key, _ = AppendNumber(key, text, reverse)
		return key
	}
	class := byte(classText)
	if reverse {
		class = classTextFirst
	}
	return AppendTextKey(append(key, class), text, reverse)
}

// ColumnKeyLen returns the length of the AppendColumnKey part at the front of a row.
func ColumnKeyLen(row string, numeric, reverse bool) int {
	if !numeric && (row[0] == classText || row[0] == classTextFirst) {
		return 1 + TextKeyLen(row[1:], reverse)
	}
	return NumberLen(row)
}

// KeyLen returns the length of the key of AppendKey parts, of the given number, at the front of a row.
func KeyLen(row string, parts int) (size int) {
	for range parts {
		part := row[size:]
		if size += NumberLen(part); part[0] != classAbsent {
			size += TextKeyLen(row[size:], false)
		}
	}
	return size
}

// KeyValues appends the values of a key by AppendKey, with the types of columns.
func KeyValues(dst []Value, key string, columns []Column) []Value {
	for _, c := range columns {
		class := key[0]
		if key = key[NumberLen(key):]; class == classAbsent {
			dst = append(dst, Value{})
			continue
		}
		text, rest := TextKey(nil, key, false)
		dst, key = append(dst, c.parse(string(text))), rest
	}
	return dst
}
