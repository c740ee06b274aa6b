package export

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// A shift is a pebble that takes rows to the rank that begins their block, or bytes of a part to the rank that keeps a
// copy.
type shift struct {
	Rank  uint64 // destination of rows; writer of the copied part
	First uint64 // place of the first row among all rows; offset of bytes in the part
	Data  []byte
}

// appendRows encodes rows for a shift, column by column.
func appendRows(dst []byte, batch []Column) []byte {
	dst = binary.AppendUvarint(dst, uint64(batch[0].Len()))
	for _, c := range batch {
		switch v := c.Values.(type) {
		case []int64:
			for _, x := range v {
				dst = binary.LittleEndian.AppendUint64(dst, uint64(x))
			}
		case []uint64:
			for _, x := range v {
				dst = binary.LittleEndian.AppendUint64(dst, x)
			}
		case []float64:
			for _, x := range v {
				dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
			}
		case []string:
			for _, x := range v {
				dst = append(binary.AppendUvarint(dst, uint64(len(x))), x...)
			}
		}
		for _, null := range c.Null {
			mark := byte(0)
			if null {
				mark = 1
			}
			dst = append(dst, mark)
		}
	}
	return dst
}

var errShift = errors.New("rows came damaged from another rank")

// takeRows decodes rows of a shift, and appends them to a batch.
func takeRows(batch []Column, src []byte) error {
	in := reader{src: src}
	rows := in.uvarint()
	for i := range batch {
		c := &batch[i]
		for range rows {
			switch v := c.Values.(type) {
			case []int64:
				c.Values = append(v, int64(in.word()))
			case []uint64:
				c.Values = append(v, in.word())
			case []float64:
				c.Values = append(v, math.Float64frombits(in.word()))
			case []string:
				c.Values = append(v, string(in.bytes(in.uvarint())))
			}
		}
		if c.Null != nil {
			for _, mark := range in.bytes(rows) {
				c.Null = append(c.Null, mark == 1)
			}
		}
	}
	if in.failed || len(in.src) > 0 {
		return errShift
	}
	return nil
}

// reader decodes the values of rows.
type reader struct {
	src    []byte
	failed bool
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.src)) {
		r.failed = true
		return nil
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b
}

func (r *reader) word() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.src)
	r.bytes(uint64(max(n, 0)))
	r.failed = r.failed || n <= 0
	return v
}

// shiftCodec encodes shifts.
type shiftCodec struct{}

// Append implements pebble.Codec.
func (shiftCodec) Append(dst []byte, s shift) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, s.Rank), s.First)
	return append(dst, s.Data...), nil
}

// Decode implements pebble.Codec.
func (shiftCodec) Decode(src []byte) (s shift, err error) {
	if len(src) < 16 {
		return s, errShift
	}
	return shift{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:]), slices.Clone(src[16:])}, nil
}

// Schema names the wire format.
func (shiftCodec) Schema() string { return "export shift" }
