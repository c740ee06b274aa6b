package ingest

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// cuts collects places where a file may be cut, at least gap bytes apart.
type cuts struct {
	gap  int64 // least number of bytes between two places
	last int64
	at   []int64
}

func (c *cuts) add(offset int64) {
	if offset-c.last >= c.gap && offset > 0 {
		c.at, c.last = append(c.at, offset), offset
	}
}

// errNoEnd: without the last block, a file that was cut between two blocks looks whole.
var errNoEnd = errors.New("the empty last block of a BGZF file is missing: the file is truncated; fetch it again, or " +
	"pack it again by bgzip")

// walkGzip follows the blocks of a BGZF file by the lengths in their headers. It stops at the first block without a
// length, which in a plain gzip file is the first: the rest is one piece. The rank that reads the piece reports
// mistakes in it; the error of walkGzip is errNoEnd or nil.
func walkGzip(f io.ReaderAt, size int64, c *cuts) error {
	var head [18]byte
	for at := int64(0); at < size; {
		if _, err := f.ReadAt(head[:], at); err != nil {
			return nil
		}
		// Gzip with one extra field, that of BGZF: B, C, two bytes of length, the length of the block − 1.
		if string(head[:4]) != "\x1f\x8b\x08\x04" || string(head[10:16]) != "\x06\x00BC\x02\x00" {
			return nil
		}
		c.add(at)
		at += int64(binary.LittleEndian.Uint16(head[16:])) + 1
		if at != size {
			continue
		}
		var bytes [4]byte // length of the last block, uncompressed
		if _, err := f.ReadAt(bytes[:], size-int64(len(bytes))); err == nil && bytes != [4]byte{} {
			return errNoEnd
		}
	}
	return nil
}

// walkZstandard follows the frames of a file, and the blocks in each, by their headers. It stops as walkGzip does.
func walkZstandard(f io.ReaderAt, size int64, c *cuts) {
	for at := int64(0); at < size; {
		next, err := frameEnd(f, at)
		if err != nil {
			return
		}
		c.add(at)
		at = next
	}
}

var errNoFrame = errors.New("no frame")

// frameEnd returns the end of the frame at an offset.
func frameEnd(f io.ReaderAt, at int64) (int64, error) {
	var head [zstd.HeaderMaxSize]byte
	n, err := f.ReadAt(head[:], at)
	if err != nil && err != io.EOF {
		return 0, err
	}
	var h zstd.Header
	if err := h.Decode(head[:n]); err != nil {
		return 0, err
	}
	if h.Skippable {
		return at + int64(h.HeaderSize) + int64(h.SkippableSize), nil
	}
	at += int64(h.HeaderSize)
	for last := false; !last; {
		if _, err := f.ReadAt(head[:3], at); err != nil {
			return 0, err
		}
		block := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16
		length := int64(block >> 3)
		switch block >> 1 & 3 {
		case 1:
			length = 1 // one repeated byte
		case 3:
			return 0, errNoFrame
		}
		last = block&1 == 1
		at += 3 + length
	}
	if h.HasCheckSum {
		at += 4
	}
	return at, nil
}
