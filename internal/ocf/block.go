package ocf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A Block locates a block in its file.
type Block struct {
	Count  int64 // records
	At     int64 // offset of its bytes
	Size   int64 // bytes in the file
	Next   int64 // offset of the next block
	Damage error // error of its header or its mark; such a block has only Next
}

var errDamaged = errors.New("the file is damaged, write it again")

// Find finds the block at an offset of a file, by its header and its mark. If these are damaged, the next block begins
// after the next mark, or at the file's end. The error is io.EOF at the file's end, or a read error.
func (h *Header) Find(f io.ReaderAt, size, at int64) (Block, error) {
	b, err := h.find(f, size, at)
	if err != nil || b.Damage == nil {
		return b, err
	}
	if b.Next > 0 { // the header may be right, and only the mark damaged
		after, err := h.find(f, size, b.Next)
		if err == io.EOF || err == nil && after.Damage == nil {
			return b, nil
		} else if err != nil {
			return b, err
		}
	}
	b.Next, err = h.behindMark(f, size, at)
	return b, err
}

// find is Find, without Next if the header is damaged.
func (h *Header) find(f io.ReaderAt, size, at int64) (b Block, err error) {
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
		b.Damage = errShort
	case i <= 0 || j <= 0 || count < 0 || length < 0:
		b.Damage = fmt.Errorf("its header is invalid: %w", errDamaged)
	case length > size-b.At-int64(len(h.Sync)):
		b.Damage = errShort
	}
	if b.Damage != nil {
		return b, nil
	}
	b.Next = b.At + length + int64(len(h.Sync))
	var mark [len(h.Sync)]byte
	if n, err := f.ReadAt(mark[:], b.At+length); n < len(mark) {
		return b, err
	}
	if mark != h.Sync {
		b.Damage = fmt.Errorf("it does not end with the sync marker of the header: %w", errDamaged)
	}
	return b, nil
}

// behindMark returns the end of the next mark, or the file's end if there is none.
func (h *Header) behindMark(f io.ReaderAt, size, at int64) (int64, error) {
	buf := make([]byte, min(256<<10, size-at))
	for have := 0; ; {
		n, err := f.ReadAt(buf[have:min(int64(len(buf)), int64(have)+size-at)], at)
		at += int64(n)
		if n += have; err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.Index(buf[:n], h.Sync[:]); i >= 0 {
			return at - int64(n-i-len(h.Sync)), nil
		}
		if at >= size || n == have {
			return size, nil
		}
		have = copy(buf, buf[max(n-len(h.Sync)+1, 0):n])
	}
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

// NewReader makes a reader of blocks of at most limit bytes after decompression. The caller closes it.
func NewReader(f io.ReaderAt, h Header, limit int) (*Reader, error) {
	c, err := newCodec(h.Codec)
	return &Reader{Header: h, f: f, limit: limit, codec: c}, err
}

// Close frees the memory of decompression.
func (r *Reader) Close() { r.codec.close() }

// ErrLong is the error of a block with more bytes than the limit.
var ErrLong = errors.New("the block has more bytes than the limit")

// Read returns the decompressed bytes of a block, which are valid until the next call.
func (r *Reader) Read(b Block) ([]byte, error) {
	if b.Size > int64(r.limit)+int64(r.limit)/8+1<<10 { // compression never lengthens data by that much
		return nil, ErrLong
	}
	if n := int(b.Size); cap(r.raw) < n {
		r.raw = make([]byte, n)
	}
	r.raw = r.raw[:b.Size]
	if n, err := r.f.ReadAt(r.raw, b.At); n < len(r.raw) {
		return nil, err
	}
	data, err := r.codec.decompress(r.data[:0], r.raw, r.limit)
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

// NewWriter makes a writer of blocks that follow a header.
func NewWriter(h Header) (*Writer, error) {
	c, err := newCodec(h.Codec)
	return &Writer{Header: h, codec: c}, err
}

// Append appends a block of count records.
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
