package ingest

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/linkedin/goavro/v2"

	"github.com/activepebbles/pebbles/internal/ocf"
	"github.com/activepebbles/pebbles/internal/resolve"
)

// An AvroCodec decodes records of Avro binary. Package target/avro has one for most Go types. A codec of your own may
// leave the bytes as they are.
type AvroCodec[T any] interface {
	// Schema returns the schema of the records.
	Schema() string
	// Next decodes the record at the front of src, and returns the bytes that follow it. It must not keep src.
	Next(src []byte) (v T, rest []byte, err error)
}

// AvroOf gives the records of Avro object container files, decoded by codec. A file may have another schema than the
// codec: fields are matched by name, whatever their order and the names of their types. Fields that the codec lacks are
// left out. Fields that the file lacks get the default of the codec's schema. Numbers may become wider, by the rules of
// Avro's specification (Schema Resolution). A field that does not fit by these rules is an error that names it. Strings
// are not checked for UTF-8. Records of another schema are copied before the codec gets them. Blocks are compressed by
// null, deflate, snappy or zstandard, and have at most RowLimit bytes after decompression. Files are cut between
// blocks.
func AvroOf[T any](codec AvroCodec[T]) Format[T] {
	return avroFiles(func(schema string) (func([]byte) (T, []byte, error), error) {
		turn, err := resolve.Between(schema, codec.Schema())
		switch {
		case err != nil:
			return nil, fmt.Errorf("the records' schema: %w", err)
		case turn == nil:
			return codec.Next, nil
		}
		var turned []byte
		return func(src []byte) (v T, rest []byte, err error) {
			if turned, rest, err = turn(turned[:0], src); err == nil {
				v, _, err = codec.Next(turned)
			}
			return v, rest, err
		}, nil
	})
}

// Avro gives the records of Avro object container files, decoded by goavro with the schema of each file. A record is a
// map[string]any; goavro's documentation lists the types of its values. Blocks are as with AvroOf. A field costs a
// microsecond or more. Bytes that are no value of the schema are an error before goavro allocates memory for them.
// Strings are not checked for UTF-8.
func Avro() Format[any] {
	return avroFiles(func(schema string) (func([]byte) (any, []byte, error), error) {
		codec, err := goavro.NewCodec(schema)
		if err != nil {
			return nil, fmt.Errorf("the records' schema: %w", err)
		}
		check, err := resolve.Check(schema)
		if err != nil {
			return nil, fmt.Errorf("the records' schema: %w", err)
		}
		return func(src []byte) (v any, rest []byte, err error) {
			if rest, err = check(src); err != nil {
				return nil, nil, err
			}
			v, _, err = codec.NativeFromBinary(src)
			return v, rest, err
		}, nil
	})
}

// A decoding makes, for a schema, the function that decodes the record at the front of src.
type decoding[T any] func(schema string) (func(src []byte) (v T, rest []byte, err error), error)

func avroFiles[T any](decoder decoding[T]) Format[T] {
	read := func(r Range) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			var none T
			err := avroRange(r, decoder, func(v T) bool { return yield(v, nil) },
				func(bad *BlockError) bool { return yield(none, bad) })
			if err != nil {
				yield(none, err)
			}
		}
	}
	return Blocks("avro", findAvro, read)
}

// findAvro follows the headers of blocks, and continues behind damaged ones.
func findAvro(f io.ReaderAt, size int64) (starts []int64, err error) {
	h, err := ocf.ReadHeader(f, size)
	if err != nil {
		return nil, err
	}
	var damage error
	for at := h.Length; ; {
		b, err := h.Find(f, size, at)
		if err == io.EOF {
			return starts, damage
		}
		if err != nil {
			return nil, err
		}
		if b.Damage != nil && damage == nil {
			damage = &BlockError{at, b.Damage}
		}
		starts, at = append(starts, at), b.Next
	}
}

// avroRange yields the records of the blocks in a range until yield returns false. It calls bad with the error of a bad
// block; bad reports whether the next block is wanted.
func avroRange[T any](r Range, decoder decoding[T], yield func(T) bool, bad func(*BlockError) bool) error {
	h, err := ocf.ReadHeader(r.File, r.Size)
	if err != nil {
		return err
	}
	next, err := decoder(h.Schema)
	if err != nil {
		return err
	}
	blocks, err := ocf.NewReader(r.File, h, r.RowLimit)
	if err != nil {
		return err
	}
	defer blocks.Close()
	for at := max(r.From, h.Length); at < r.To; {
		b, err := h.Find(r.File, r.Size, at)
		if err != nil {
			return err
		}
		r.Block(at)
		more, damage := avroBlock(blocks, b, next, yield)
		if damage != nil {
			more = bad(&BlockError{at, damage})
		}
		if !more {
			return nil
		}
		at = b.Next
	}
	return nil
}

// avroBlock yields the records of a block, and reports whether more are wanted.
func avroBlock[T any](blocks *ocf.Reader, b ocf.Block, next func([]byte) (T, []byte, error),
	yield func(T) bool) (more bool, err error) {
	if b.Damage != nil {
		return false, b.Damage
	}
	data, err := blocks.Read(b)
	if err == ocf.ErrLong {
		err = errors.New("it has more bytes than the limit: raise ingest.RowLimit")
	}
	if err != nil {
		return false, err
	}
	return datums(data, b.Count, next, yield)
}

// datums yields the records in the data of a block, and reports whether more are wanted.
func datums[T any](data []byte, count int64, next func([]byte) (T, []byte, error), yield func(T) bool) (more bool,
	err error) {
	if count > max(int64(len(data)), emptyMax) {
		return false, fmt.Errorf("its %d bytes claim to be %d records: the file is damaged", len(data), count)
	}
	for i := range count {
		v, rest, err := next(data)
		if err != nil {
			return false, fmt.Errorf("record %d: %w", i+1, err)
		}
		if data = rest; !yield(v) {
			return false, nil
		}
	}
	if len(data) > 0 {
		return false, fmt.Errorf("%d bytes follow its last record: the file is damaged, or the codec is wrong",
			len(data))
	}
	return true, nil
}

// emptyMax is the maximum number of records without bytes in a block.
const emptyMax = 1 << 20
