package export

import (
	"crypto/rand"
	"fmt"

	"github.com/linkedin/goavro/v2"

	"github.com/activepebbles/pebbles/internal/ocf"
)

// blockBytes is the approximate size of a block of an Avro file. Readers cut files between blocks.
const blockBytes = 256 << 10

// An AvroCodec encodes records as Avro binary. Package target/avro has one for most Go types. A codec of your own may
// leave the bytes as they are.
type AvroCodec[T any] interface {
	// Schema returns the schema of the records, which goes into the file.
	Schema() string
	// Append appends a record to dst.
	Append(dst []byte, v T) ([]byte, error)
}

// Compression is the compression of the blocks of an Avro file.
type Compression string

// The supported compressions of Avro's specification. Not every reader supports the last two.
const (
	Null      Compression = "null"
	Deflate   Compression = "deflate"
	Snappy    Compression = "snappy"
	Zstandard Compression = "zstandard"
)

// AvroOf writes records to Avro object container files, in blocks of about 256 KiB.
func AvroOf[T any](codec AvroCodec[T], compression Compression) Format[T] {
	return Format[T]{name: "avro", packs: true, common: newSync, open: func(s setting) (Writer[T], error) {
		return newAvroWriter(s, codec, compression)
	}}
}

// newSync returns a random sync marker, which separates the blocks of a file.
func newSync() []byte {
	mark := make([]byte, 16)
	_, _ = rand.Read(mark) // never fails
	return mark
}

// Avro writes records as goavro encodes them by a schema. A record is a map[string]any; goavro's documentation lists
// the types of its values.
func Avro(schema string, compression Compression) (Format[any], error) {
	codec, err := goavro.NewCodec(schema)
	if err != nil {
		return Format[any]{}, fmt.Errorf("write Avro: the schema: %w", err)
	}
	return AvroOf(natives{codec}, compression), nil
}

// natives encodes goavro's native values.
type natives struct{ *goavro.Codec }

func (n natives) Append(dst []byte, v any) ([]byte, error) { return n.BinaryFromNative(dst, v) }

// avroWriter collects records in blocks.
type avroWriter[T any] struct {
	setting
	codec  AvroCodec[T]
	blocks *ocf.Writer
	count  int64
	data   []byte
	block  []byte
}

// newAvroWriter begins a part.
func newAvroWriter[T any](s setting, codec AvroCodec[T], compression Compression) (*avroWriter[T], error) {
	h := ocf.Header{Schema: codec.Schema(), Codec: string(compression), Sync: [16]byte(s.common)}
	blocks, err := ocf.NewWriter(h)
	if err == nil && s.first {
		_, err = s.Write(h.Append(nil))
	}
	return &avroWriter[T]{setting: s, codec: codec, blocks: blocks}, err
}

// Write implements Writer.
func (w *avroWriter[T]) Write(v T) (err error) {
	if w.data, err = w.codec.Append(w.data, v); err != nil {
		return err
	}
	w.count++
	if len(w.data) < blockBytes {
		return nil
	}
	return w.Close()
}

// Close implements Writer. It ends the last block.
func (w *avroWriter[T]) Close() (err error) {
	if w.count == 0 {
		return nil
	}
	if w.block, err = w.blocks.Append(w.block[:0], w.count, w.data); err != nil {
		return err
	}
	w.count, w.data = 0, w.data[:0]
	_, err = w.setting.Write(w.block)
	return err
}
