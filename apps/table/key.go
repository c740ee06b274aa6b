package table

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/activepebbles/pebbles/ingest"
)

// Parts of keys begin with a class, and end where no other one goes on; so keys of several parts are in the order of
// the first part, then of the second one. Complement turns the order around.
const (
	classLow    = 0x10 // -Inf
	classBelow  = 0x11 // numbers below 0
	classZero   = 0x12
	classAbove  = 0x13
	classHigh   = 0x14 // Inf
	classNaN    = 0x15
	classText   = 0x16
	classAbsent = 0x17
)

// AppendKey appends a value as a part of a key: numbers first, by value, then texts by their bytes, then Null. A Text that
// is a number counts as one. Values have equal parts if their texts are equal.
func AppendKey(key []byte, v Value) []byte {
	if v.Kind == Null {
		return append(key, classAbsent)
	}
	var room [64]byte
	text := v.AppendText(room[:0])
	number, rest := AppendNumber(key, text, false)
	if rest < len(text) { // no number, or more than that
		number = append(key, classText)
	}
	return AppendTextKey(number, text)
}

// AppendTextKey appends a text as a part of a key, in the order of its bytes.
func AppendTextKey[T string | []byte](key []byte, text T) []byte {
	for _, b := range []byte(text) {
		if key = append(key, b); b == 0 {
			key = append(key, 0xff)
		}
	}
	return append(key, 0, 1)
}

// AppendNumber appends the number that a text begins with, behind blanks, as a part of a key, and returns how many bytes
// of the text it takes: as the C function strtold reads it, but exactly, whatever the number of digits. A text that
// begins with no number takes 0 bytes, and comes after all numbers and NaN. reverse is for numbers in descending order;
// NaN and texts come last all the same.
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
		key = append(key, d+1) // above the end
	}
	if key = append(key, 0); n.negative {
		Complement(key[begin:])
		key[begin] = classBelow
	}
	return key, n.taken
}

// Complement turns the order of parts of a key around.
func Complement(key []byte) {
	for i := range key {
		key[i] = ^key[i]
	}
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

// SkipPlace is a row behind a place.
func SkipPlace(row string) string {
	for range 3 {
		row = row[1+int(row[0]):]
	}
	return row
}

// KeyLen is the length of a key of so many parts by AppendKey that a row begins with.
func KeyLen(row string, parts int) int {
	at := 0
	for range parts {
		if row[at] == classAbsent {
			at++
			continue
		}
		if row[at] == classAbove || row[at] == classBelow {
			end := byte(0)
			if row[at] == classBelow {
				end = 0xff
			}
			at += 5
			at += strings.IndexByte(row[at:], end)
		}
		at += strings.Index(row[at+1:], "\x00\x01") + 3
	}
	return at
}
