package main

import (
	"encoding/binary"
	"errors"
)

// codec encodes a count as its number, in as few bytes as it needs, followed by the word.
type codec struct{}

func (codec) Append(dst []byte, c count) ([]byte, error) {
	return append(binary.AppendUvarint(dst, c.N), c.Word...), nil
}

func (codec) Decode(src []byte) (count, error) {
	n, size := binary.Uvarint(src)
	if size <= 0 {
		return count{}, errors.New("decode count: the number is cut short or too large")
	}
	return count{string(src[size:]), n}, nil
}

// Schema names the wire format, so that ranks with another one are refused.
func (codec) Schema() string { return "count: uvarint, word" }
