package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A kind is the compression of a file.
type kind int

const (
	plain kind = iota
	gzipped
	zstandard
)

// others names unsupported compressions by the first bytes of their files.
var others = map[string]string{
	"\xfd7zXZ\x00": "xz", "\x04\x22\x4d\x18": "lz4", "\x02\x21\x4c\x18": "lz4", "PK\x03\x04": "zip",
	"\x1f\x9d": "compress", "LZIP\x01": "lzip", "7z\xbc\xaf\x27\x1c": "7z", "\xff\x06\x00\x00sNaPpY": "snappy",
}

// magicBytes is the number of first bytes that identify a kind.
const magicBytes = 10

// kindOf returns the kind of a file by its first bytes, whatever its name.
func kindOf(head []byte) (kind, error) {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b, 8}):
		return gzipped, nil
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}) && len(head) > 2:
		return plain, fmt.Errorf("unknown gzip method %d: the file is damaged; fetch it again", head[2])
	case len(head) >= 4 && isZstandard(binary.LittleEndian.Uint32(head)):
		return zstandard, nil
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return plain, fmt.Errorf("the text is UTF-16: convert it to UTF-8, for example by iconv")
	}
	if len(head) >= 10 && string(head[:3])+string(head[4:10]) == "BZh1AY&SY" {
		return plain, notRead("bzip2")
	}
	for magic, name := range others {
		if bytes.HasPrefix(head, []byte(magic)) {
			return plain, notRead(name)
		}
	}
	return plain, nil
}

func notRead(name string) error {
	return fmt.Errorf("compression by %s is not supported: use zstd or gzip, or decompress the file", name)
}

const (
	zstandardMagic = 0xfd2fb528
	skippableMagic = 0x184d2a50 // to skippableMagic+15
)

func isZstandard(magic uint32) bool { return magic == zstandardMagic || magic&^15 == skippableMagic }

// zstandardWindowMax is the maximum memory that a frame may require: that of "zstd --long". A frame that requires more
// is an error.
const zstandardWindowMax = 128 << 20

// A decompressor reads parts of one file in turn.
type decompressor struct {
	kind kind
	name string
	gzip *gzip.Reader
	zstd *zstd.Decoder
}

// open starts reading another part, which consists of whole blocks or frames. It decompresses as the caller reads.
func (d *decompressor) open(from io.Reader) (io.Reader, error) {
	err := error(nil)
	if d.kind == gzipped {
		if d.gzip == nil {
			d.gzip, err = gzip.NewReader(from)
		} else {
			err = d.gzip.Reset(from)
		}
		return damage{d.gzip, d.name}, d.blame(err)
	}
	if d.zstd == nil {
		d.zstd, err = zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstandardWindowMax))
	} else {
		err = d.zstd.Reset(from)
	}
	return damage{d.zstd, d.name}, d.blame(err)
}

func (d *decompressor) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

func (d *decompressor) blame(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return damage{name: d.name}.blame(err)
}

// damage adds the file's name to the errors of a decompression library.
type damage struct {
	io.Reader
	name string
}

// Read implements io.Reader.
func (d damage) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = d.blame(err)
	}
	return n, err
}

func (d damage) blame(err error) error {
	return fmt.Errorf("read %s: decompress: %w: the file is truncated or damaged; fetch it again", d.name, err)
}
