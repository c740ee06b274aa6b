package ocf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A Block is where one is in its file.
type Block struct {
	Count int64 // records
	At    int64 // where its bytes begin
	Size  int64 // bytes as they stand
	Next  int64 // where the next block begins
}

// Find reads the header of the block that begins at a place of a file. The error is io.EOF at the file's end.
func Find(f io.ReaderAt, size, at int64) (b Block, err error) {
	if at == size {
		return b, io.EOF
	}
	var head [2 * binary.MaxVarintLen64]byte
	n, err := f.ReadAt(head[:min(int64(len(head)), size-at)], at)
	if err != nil && err != io.EOF {
		return b, err
	}
	count, i := binary.Varint(head[:n])
	length, j := binary.Varint(head[max(i, 0):n])
	b = Block{Count: count, At: at + int64(i+j), Size: length}
	switch {
	case (i == 0 || j == 0) && n < len(head):
		return b, errShort
	case i <= 0 || j <= 0 || count < 0 || length < 0:
		return b, fmt.Errorf("the block at byte %d is damaged: write the file again", at)
	case length > size-b.At-int64(len(Header{}.Sync)):
		return b, errShort
	}
	b.Next = b.At + length + int64(len(Header{}.Sync))
	return b, nil
}

// A Reader reads blocks of one file. It is for one goroutine.
type Reader struct {
	Header
	f     io.ReaderAt
	limit int
	raw   []byte
	data  []byte
	codec codec
}

// NewReader makes a reader of blocks that have at most so many bytes when they are decompressed. The caller closes it.
func NewReader(f io.ReaderAt, h Header, limit int) (*Reader, error) {
	c, err := newCodec(h.Codec)
	return &Reader{Header: h, f: f, limit: limit, codec: c}, err
}

// Close gives back what decompression holds.
func (r *Reader) Close() { r.codec.close() }

// ErrLong: a block has more bytes than the limit.
var ErrLong = errors.New("the block has more bytes than the limit")

// Read returns the decompressed bytes of a block, which are good until the next call.
func (r *Reader) Read(b Block) ([]byte, error) {
	if b.Size > int64(r.limit)+int64(r.limit)/8+1<<10 { // compression makes nothing that much longer
		return nil, ErrLong
	}
	n := int(b.Size) + len(r.Sync)
	if cap(r.raw) < n {
		r.raw = make([]byte, n)
	}
	r.raw = r.raw[:n]
	if n, err := r.f.ReadAt(r.raw, b.At); n < len(r.raw) {
		return nil, err
	}
	if [16]byte(r.raw[b.Size:]) != r.Sync {
		return nil, fmt.Errorf("the block at byte %d does not end with the mark that the header tells: the file is "+
			"damaged, write it again", b.At)
	}
	data, err := r.codec.decompress(r.data[:0], r.raw[:b.Size], r.limit)
	if err != nil {
		return nil, err
	}
	r.data = data
	return data, nil
}

// A Writer makes blocks.
type Writer struct {
	Header
	codec codec
	data  []byte
}

// NewWriter makes a writer of blocks behind a header.
func NewWriter(h Header) (*Writer, error) {
	c, err := newCodec(h.Codec)
	return &Writer{Header: h, codec: c}, err
}

// Append appends a block of so many records.
func (w *Writer) Append(dst []byte, count int64, data []byte) ([]byte, error) {
	var err error
	if w.data, err = w.codec.compress(w.data[:0], data); err != nil {
		return dst, err
	}
	dst = binary.AppendVarint(dst, count)
	dst = binary.AppendVarint(dst, int64(len(w.data)))
	dst = append(dst, w.data...)
	return append(dst, w.Sync[:]...), nil
}
