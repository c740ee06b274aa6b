package ocf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

const magic = "Obj\x01"

// headerMax bounds the size of a header: schemas are some kilobytes.
const headerMax = 16 << 20

// A Header is the header of a file, which describes its blocks.
type Header struct {
	Schema string
	Codec  string // "null", "deflate", "snappy" or "zstandard"
	Sync   [16]byte
	Length int64 // bytes of the header in its file
}

var errShort = errors.New("the file is truncated: write it again")

// ReadHeader reads the header of a file.
func ReadHeader(f io.ReaderAt, size int64) (Header, error) {
	r := &counter{r: bufio.NewReader(io.NewSectionReader(f, 0, min(size, headerMax)))}
	h, err := readHeader(r)
	switch {
	case (err == io.EOF || err == io.ErrUnexpectedEOF) && size > headerMax:
		err = fmt.Errorf("the header is longer than %d bytes: it is damaged", headerMax)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err = errShort
	}
	h.Length = r.n
	return h, err
}

func readHeader(r *counter) (h Header, err error) {
	var begin [len(magic)]byte
	if _, err := io.ReadFull(r, begin[:]); err != nil || string(begin[:]) != magic {
		return h, errNoOCF(begin[:])
	}
	h.Codec = "null"
	for {
		n, err := binary.ReadVarint(r)
		if err != nil || n == 0 {
			if err == nil {
				_, err = io.ReadFull(r, h.Sync[:])
			}
			if err == nil && h.Schema == "" {
				err = fmt.Errorf("the header has no avro.schema: %w", errDamaged)
			}
			return h, err
		}
		if n < 0 { // the block's length follows
			n = -n
			if _, err := binary.ReadVarint(r); err != nil {
				return h, err
			}
		}
		if n < 0 { // -n overflows
			return h, fmt.Errorf("the header has a count of %d: %w", n, errDamaged)
		}
		for range n {
			if err := h.entry(r); err != nil {
				return h, err
			}
		}
	}
}

func errNoOCF(begin []byte) error {
	return fmt.Errorf("the file begins with %q, not as an Avro object container file does: name the file's format",
		begin)
}

// entry reads one entry of the header's map.
func (h *Header) entry(r *counter) error {
	key, err := r.bytes()
	if err != nil {
		return err
	}
	value, err := r.bytes()
	if err != nil {
		return err
	}
	switch string(key) {
	case "avro.schema":
		h.Schema = string(value)
	case "avro.codec":
		h.Codec = string(value)
	}
	return nil
}

// Append appends the header in its file format.
func (h *Header) Append(dst []byte) []byte {
	dst = append(dst, magic...)
	dst = binary.AppendVarint(dst, 2)
	for _, text := range []string{"avro.schema", h.Schema, "avro.codec", h.Codec} {
		dst = binary.AppendVarint(dst, int64(len(text)))
		dst = append(dst, text...)
	}
	dst = append(dst, 0)
	return append(dst, h.Sync[:]...)
}

// A counter reads a header and counts its bytes.
type counter struct {
	r *bufio.Reader
	n int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader.
func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// bytes reads a length and that number of bytes; it allocates no more than the file has.
func (c *counter) bytes() ([]byte, error) {
	n, err := binary.ReadVarint(c)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > headerMax {
		return nil, fmt.Errorf("the header is damaged: a text of %d bytes", n)
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, c, n); err != nil {
		return nil, err
	}
	return slices.Clip(b.Bytes()), nil
}
