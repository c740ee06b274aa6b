package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/internal/layout"
)

// chunkBytes is the approximate number of bytes of a part's data in one record.
const chunkBytes = 64 << 10

// record is the unit of files: some elements of one part. Their keys follow from First and Stride, unless Keys lists
// them.
type record struct {
	Part          int // place among the parts, or headerPart
	Count         int // number of elements
	First, Stride uint64
	Keys          []uint64
	Data          []byte
}

// headerPart marks the first record of a file. Its First is the rank that wrote the file, and its Data the identity of
// the checkpoint.
const headerPart = -1

// key returns the key of an element.
func (r *record) key(i int) uint64 {
	if r.Keys != nil {
		return r.Keys[i]
	}
	return r.First + uint64(i)*r.Stride
}

// setKeys encodes keys as briefly as possible. It may keep the slice.
func (r *record) setKeys(keys []uint64) {
	r.First, r.Stride, r.Keys = keys[0], 0, nil
	if len(keys) > 1 {
		r.Stride = keys[1] - keys[0]
	}
	for i, key := range keys {
		if key != r.key(i) {
			r.First, r.Stride, r.Keys = 0, 0, keys
			return
		}
	}
}

// avroRecords is the codec of records in files.
type avroRecords struct{}

// Schema implements export.AvroCodec and ingest.AvroCodec.
func (avroRecords) Schema() string {
	return `{"type":"record","name":"checkpoint.record","fields":[{"name":"part","type":"long"},` +
		`{"name":"count","type":"long"},{"name":"first","type":"long"},{"name":"stride","type":"long"},` +
		`{"name":"keys","type":"bytes"},{"name":"data","type":"bytes"}]}`
}

// Append implements export.AvroCodec.
func (avroRecords) Append(dst []byte, r record) ([]byte, error) {
	for _, n := range []int64{int64(r.Part), int64(r.Count), int64(r.First), int64(r.Stride)} {
		dst = binary.AppendVarint(dst, n)
	}
	for _, b := range [][]byte{layout.BytesOf(r.Keys), r.Data} {
		dst = append(binary.AppendVarint(dst, int64(len(b))), b...)
	}
	return dst, nil
}

var errRecord = errors.New("a record is damaged: remove the checkpoint, and the one before it is restored")

// Next implements ingest.AvroCodec.
func (avroRecords) Next(src []byte) (r record, rest []byte, err error) {
	var numbers [4]int64
	for i := range numbers {
		n, size := binary.Varint(src)
		if size <= 0 {
			return r, nil, errRecord
		}
		numbers[i], src = n, src[size:]
	}
	var texts [2][]byte
	for i := range texts {
		n, size := binary.Varint(src)
		if size <= 0 || n < 0 || n > int64(len(src)-size) {
			return r, nil, errRecord
		}
		texts[i], src = src[size:size+int(n)], src[size+int(n):]
	}
	r = record{Part: int(numbers[0]), Count: int(numbers[1]), First: uint64(numbers[2]), Stride: uint64(numbers[3])}
	if len(texts[0]) > 0 {
		r.Keys = layout.GetAll[uint64](texts[0])
	}
	r.Data = append([]byte{}, texts[1]...)
	if r.Count < 0 || r.Keys != nil && len(texts[0]) != 8*r.Count {
		return r, nil, errRecord
	}
	return r, src, nil
}

// parcel is a record on its way to the rank that now keeps its elements.
type parcel struct {
	To uint32
	record
}

// parcels is the codec of parcels.
type parcels struct{}

// Schema names the wire format.
func (parcels) Schema() string { return "parcel of " + avroRecords{}.Schema() }

// Append implements target.Codec.
func (parcels) Append(dst []byte, p parcel) ([]byte, error) {
	return avroRecords{}.Append(binary.AppendUvarint(dst, uint64(p.To)), p.record)
}

// Decode implements target.Codec.
func (parcels) Decode(src []byte) (p parcel, err error) {
	to, size := binary.Uvarint(src)
	if size <= 0 {
		return p, errRecord
	}
	p.To = uint32(to)
	rest := src[size:]
	if p.record, rest, err = (avroRecords{}).Next(rest); err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes follow: %w", len(rest), errRecord)
	}
	return p, err
}
