package ocf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// A codec compresses blocks. Both functions append to dst.
type codec interface {
	compress(dst, data []byte) ([]byte, error)
	decompress(dst, data []byte, limit int) ([]byte, error)
	close()
}

func newCodec(name string) (codec, error) {
	switch name {
	case "null", "":
		return null{}, nil
	case "deflate":
		return deflate{}, nil
	case "snappy":
		return snappy{}, nil
	case "zstandard":
		return newZstandard()
	}
	return nil, fmt.Errorf("blocks are compressed by %q, and null, deflate, snappy and zstandard are known: write "+
		"the file with one of these", name)
}

type null struct{}

func (null) compress(dst, data []byte) ([]byte, error) { return append(dst, data...), nil }

func (null) decompress(dst, data []byte, limit int) ([]byte, error) {
	if len(data) > limit {
		return nil, ErrLong
	}
	return append(dst, data...), nil
}

func (null) close() {}

type deflate struct{}

func (deflate) compress(dst, data []byte) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	w, err := flate.NewWriter(b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

func (deflate) decompress(dst, data []byte, limit int) ([]byte, error) {
	packed := bytes.NewReader(data)
	out, err := readUpTo(dst, flate.NewReader(packed), limit)
	if err == nil && packed.Len() > 0 {
		err = fmt.Errorf("%d bytes follow the compressed ones: %w", packed.Len(), errDamaged)
	}
	return out, err
}

func (deflate) close() {}

// readUpTo appends the output of a reader, at most limit bytes.
func readUpTo(dst []byte, r io.Reader, limit int) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	n, err := io.Copy(b, io.LimitReader(r, int64(limit)+1))
	if n > int64(limit) {
		return nil, ErrLong
	}
	return b.Bytes(), err
}

// snappy has a checksum after the data.
type snappy struct{}

func (snappy) compress(dst, data []byte) ([]byte, error) {
	packed := s2.EncodeSnappyBetter(nil, data)
	return binary.BigEndian.AppendUint32(append(dst, packed...), crc32.ChecksumIEEE(data)), nil
}

func (snappy) decompress(_, data []byte, limit int) ([]byte, error) {
	if len(data) < crc32.Size {
		return nil, errors.New("a block is shorter than its checksum: the file is damaged")
	}
	packed, sum := data[:len(data)-crc32.Size], data[len(data)-crc32.Size:]
	if n, err := s2.DecodedLen(packed); err != nil || n > limit {
		return nil, errors.Join(err, ErrLong)
	}
	out, err := s2.Decode(nil, packed)
	if err == nil && crc32.ChecksumIEEE(out) != binary.BigEndian.Uint32(sum) {
		err = errors.New("the checksum of a block is wrong: the file is damaged")
	}
	return out, err
}

func (snappy) close() {}

type zstandard struct {
	e *zstd.Encoder
	d *zstd.Decoder
}

func newZstandard() (codec, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	return zstandard{e, d}, err
}

func (z zstandard) compress(dst, data []byte) ([]byte, error) { return z.e.EncodeAll(data, dst), nil }

func (z zstandard) decompress(dst, data []byte, limit int) ([]byte, error) {
	if err := z.d.Reset(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	return readUpTo(dst, z.d, limit)
}

func (z zstandard) close() { z.d.Close() }
