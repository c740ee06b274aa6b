package resolve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

var errShort = errors.New("the bytes are truncated")

func appendLong(dst []byte, x int64) []byte { return binary.AppendVarint(dst, x) }

func appendSized(dst, b []byte) []byte { return append(appendLong(dst, int64(len(b))), b...) }

// long reads Avro's int and long.
func long(src []byte) (x int64, rest []byte, err error) {
	x, n := binary.Varint(src)
	switch {
	case n == 0:
		return 0, nil, errShort
	case n < 0:
		return 0, nil, errors.New("a number has more than 64 bits")
	}
	return x, src[n:], nil
}

// integer reads a value of a kind. It must fit in 32 bits unless the kind is long.
func integer(src []byte, kind string) (x int64, rest []byte, err error) {
	x, rest, err = long(src)
	if err == nil && kind != "long" && int64(int32(x)) != x {
		err = fmt.Errorf("%d is not a value of %s, which has 32 bits", x, kind)
	}
	return x, rest, err
}

// lengthOf returns the size of a value with a length prefix, including the prefix.
func lengthOf(src []byte) (int, error) {
	n, rest, err := long(src)
	if err == nil && (n < 0 || n > int64(len(rest))) {
		err = fmt.Errorf("a length of %d exceeds the %d bytes that follow: %w", n, len(rest), errShort)
	}
	return len(src) - len(rest) + int(n), err
}

// number appends a number given as text.
func number(dst []byte, kind, text string) ([]byte, error) {
	if kind == "int" || kind == "long" {
		x, err := strconv.ParseInt(text, 10, map[string]int{"int": 32, "long": 64}[kind])
		return appendLong(dst, x), err
	}
	x, err := strconv.ParseFloat(text, 64)
	return appendFloat(dst, kind, x), err
}

// appendFloat appends a float or a double.
func appendFloat(dst []byte, kind string, x float64) []byte {
	if kind == "float" {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(x)))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}
