// Package runs keeps records without room in memory in files of a scratch folder. A file is written once and read back
// in order. It has no name while in use, if the system allows that, so even a process that is killed leaves nothing
// behind.
package runs

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/activepebbles/pebbles/internal/disk"
)

// blockBytes is the size of a block, the unit of writes and checksums. A large record makes a block larger.
const blockBytes = 64 << 10

const (
	headBytes   = 8 // of a block: its length and its CRC32C
	lengthBytes = 4 // of a record
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Run is a file of records. One goroutine at a time writes it or reads it.
type Run struct {
	file    disk.File
	named   bool // the system kept the name
	block   []byte
	bytes   int64
	records int
}

// New makes a run in a folder; "" is the system's folder for temporary files.
func New(folder string) (*Run, error) {
	f, err := disk.CreateTemp(folder, "pebbles-spill-*")
	if err != nil {
		return nil, fmt.Errorf("create a spill file: %w: name a writable folder", err)
	}
	return &Run{file: f, named: os.Remove(f.Name()) != nil}, nil
}

// Len returns the number of records.
func (r *Run) Len() int { return r.records }

// Bytes returns the number of appended bytes, with lengths and checksums.
func (r *Run) Bytes() int64 { return r.bytes + int64(max(0, len(r.block)-headBytes)) }

// Append appends a record. The function record appends it to its argument.
func (r *Run) Append(record func(dst []byte) ([]byte, error)) (err error) {
	if r.block == nil {
		r.block = make([]byte, headBytes, headBytes+blockBytes)
	}
	at := len(r.block)
	if r.block, err = record(append(r.block, make([]byte, lengthBytes)...)); err != nil {
		r.block = r.block[:at]
		return err
	}
	binary.LittleEndian.PutUint32(r.block[at:], uint32(len(r.block)-at-lengthBytes))
	if r.records++; len(r.block) >= headBytes+blockBytes {
		return r.flush()
	}
	return nil
}

// Flush writes the records that Append has gathered, and frees the memory for them. Call it before the first read.
func (r *Run) Flush() error {
	err := r.flush()
	if err == nil {
		r.block = nil
	}
	return err
}

func (r *Run) flush() error {
	n := len(r.block) - headBytes
	if n <= 0 {
		return nil
	}
	binary.LittleEndian.PutUint32(r.block, uint32(n))
	binary.LittleEndian.PutUint32(r.block[4:], crc32.Checksum(r.block[headBytes:], castagnoli))
	if _, err := r.file.Write(r.block); err != nil {
		return fmt.Errorf("write a spill file: %w: name a folder with more room", err)
	}
	r.bytes += int64(len(r.block))
	r.block = r.block[:headBytes]
	return nil
}

var errDamaged = errors.New("a spill file has changed on the disk")

// Reader reads the records of a run in order.
type Reader struct {
	from        *bufio.Reader
	block, rest []byte
	left        int // records
}

// Reader returns a reader at the beginning of the run. Several readers may read a run at a time.
func (r *Run) Reader() *Reader {
	// The buffer is for heads: blocks are read past it, into the reader's block.
	return &Reader{from: bufio.NewReaderSize(io.NewSectionReader(r.file, 0, r.bytes), 512), left: r.records}
}

// Next returns the next record, which is valid until the next call; io.EOF after the last one.
func (r *Reader) Next() (record []byte, err error) {
	if r.left == 0 {
		return nil, io.EOF
	}
	if len(r.rest) == 0 {
		if r.block, err = next(r.from, r.block); err != nil {
			return nil, err
		}
		r.rest = r.block
	}
	if len(r.rest) < lengthBytes || len(r.rest)-lengthBytes < int(binary.LittleEndian.Uint32(r.rest)) {
		return nil, errDamaged
	}
	n := lengthBytes + int(binary.LittleEndian.Uint32(r.rest))
	record, r.rest = r.rest[lengthBytes:n], r.rest[n:]
	r.left--
	return record, nil
}

// next reads a block into the memory of another one.
func next(from io.Reader, block []byte) ([]byte, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	n, sum := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if room := int(n) + bytes.MinRead; cap(block) < room && n < 2*blockBytes {
		block = make([]byte, 0, room)
	}
	room := bytes.NewBuffer(block[:0]) // grows with the data, not with a damaged length
	if m, err := io.CopyN(room, from, int64(n)); err != nil || crc32.Checksum(room.Bytes(), castagnoli) != sum {
		return nil, fmt.Errorf("%w (a block of %d bytes, of which %d are there)", errDamaged, n, m)
	}
	return room.Bytes(), nil
}

// Close removes the file. The run must not be used afterwards.
func (r *Run) Close() error {
	err := r.file.Close()
	if r.named {
		err = errors.Join(err, disk.Remove(r.file.Name()))
	}
	return err
}
