// Package runs keeps records that there is no room for in memory: in files of a scratch folder, which are written once
// and read back in order. A file has no name while it is used, where the system allows that, so nothing is left behind
// even by a process that is killed.
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

// blockBytes is how many bytes are written and checked at a time; more where a record needs more.
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
		return nil, fmt.Errorf("a file for what has no room in memory: %w: name a folder that can be written to", err)
	}
	return &Run{file: f, named: os.Remove(f.Name()) != nil, block: make([]byte, headBytes, headBytes+blockBytes)}, nil
}

// Len is the number of records.
func (r *Run) Len() int { return r.records }

// Bytes is how many bytes were appended, with their lengths and checksums.
func (r *Run) Bytes() int64 { return r.bytes + int64(len(r.block)-headBytes) }

// Append appends a record, which record appends to its argument.
func (r *Run) Append(record func(dst []byte) ([]byte, error)) (err error) {
	at := len(r.block)
	if r.block, err = record(append(r.block, make([]byte, lengthBytes)...)); err != nil {
		r.block = r.block[:at]
		return err
	}
	binary.LittleEndian.PutUint32(r.block[at:], uint32(len(r.block)-at-lengthBytes))
	if r.records++; len(r.block) >= headBytes+blockBytes {
		return r.Flush()
	}
	return nil
}

// Flush writes what Append has gathered. It comes before the first read.
func (r *Run) Flush() error {
	n := len(r.block) - headBytes
	if n == 0 {
		return nil
	}
	binary.LittleEndian.PutUint32(r.block, uint32(n))
	binary.LittleEndian.PutUint32(r.block[4:], crc32.Checksum(r.block[headBytes:], castagnoli))
	if _, err := r.file.Write(r.block); err != nil {
		return fmt.Errorf("write what has no room in memory: %w: name a folder with more room", err)
	}
	r.bytes += int64(len(r.block))
	r.block = r.block[:headBytes]
	return nil
}

var errDamaged = errors.New("what was written for want of memory has changed on the disk")

// Reader reads the records of a run in order.
type Reader struct {
	from        *bufio.Reader
	block, rest []byte
	left        int // records
}

// Reader reads from the beginning. Runs may be read by several readers at a time.
func (r *Run) Reader() *Reader {
	return &Reader{from: bufio.NewReaderSize(io.NewSectionReader(r.file, 0, r.bytes), blockBytes), left: r.records}
}

// Next is the next record, which is good until the one after it; io.EOF behind the last one.
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
	room := bytes.NewBuffer(block[:0]) // which grows with what is there, and not with what a damaged length says
	if m, err := io.CopyN(room, from, int64(n)); err != nil || crc32.Checksum(room.Bytes(), castagnoli) != sum {
		return nil, fmt.Errorf("%w (a block of %d bytes, of which %d are there)", errDamaged, n, m)
	}
	return room.Bytes(), nil
}

// Close gives the file back. The run is gone.
func (r *Run) Close() error {
	err := r.file.Close()
	if r.named {
		err = errors.Join(err, disk.Remove(r.file.Name()))
	}
	return err
}
