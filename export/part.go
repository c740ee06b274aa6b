package export

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/klauspost/compress/zstd"

	"github.com/activepebbles/pebbles/internal/disk"
)

// bufferBytes is how much of a part is written at a time.
const bufferBytes = 256 << 10

// frameBytes is about how much of a part is in one frame of zstd, before it is compressed.
const frameBytes = 4 << 20

// A part is the file that one rank writes.
type part struct {
	*bufio.Writer
	file   disk.File
	frames *frames // nil without compression
	sum    uint32
	bytes  int64
}

func newPart(folder, name string, compressed bool) (*part, error) {
	if compressed {
		name += ".zst"
	}
	file, err := disk.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("write %w", advise(err))
	}
	p := &part{file: file}
	to := io.Writer(counted{p})
	if compressed {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
		if err != nil {
			return p, err
		}
		p.frames = &frames{to: to, encoder: e, most: frameBytes}
		to = p.frames
	}
	p.Writer = bufio.NewWriterSize(to, bufferBytes)
	return p, nil
}

// counted counts what goes to the file.
type counted struct{ *part }

// Write implements io.Writer.
func (c counted) Write(b []byte) (int, error) {
	n, err := c.file.Write(b)
	c.sum = crc32.Update(c.sum, castagnoli, b[:n])
	c.bytes += int64(n)
	return n, err
}

// finish writes what is left, syncs the file and closes it.
func (p *part) finish() (Part, error) {
	err := p.Flush()
	if p.frames != nil && err == nil {
		err = p.frames.close()
	}
	if err == nil {
		err = p.file.Sync()
	}
	err = errors.Join(err, p.file.Close())
	return Part{Name: filepath.Base(p.file.Name()), Bytes: p.bytes, Checksum: checksum(p.sum)}, err
}

func (p *part) abort() {
	p.file.Close()
	_ = disk.Remove(p.file.Name()) // which may be gone already, or be renamed
}

// frames compresses what is written to it, in one frame after the other.
type frames struct {
	to      io.Writer
	encoder *zstd.Encoder
	most    int  // bytes of a frame, and of what is written at a time more
	n       int  // bytes in this frame
	open    bool // whether there is one
	any     bool // whether there ever was one
}

// Write implements io.Writer.
func (f *frames) Write(b []byte) (int, error) {
	if !f.open {
		f.encoder.Reset(f.to)
		f.open, f.any, f.n = true, true, 0
	}
	n, err := f.encoder.Write(b)
	if f.n += n; err == nil && f.n >= f.most {
		err = f.end()
	}
	return n, err
}

func (f *frames) end() error {
	f.open = false
	return f.encoder.Close()
}

// close ends the last frame. A part without bytes is one empty frame.
func (f *frames) close() error {
	if !f.any {
		f.encoder.Reset(f.to)
	} else if !f.open {
		return nil
	}
	return f.end()
}

// advise says what to do about the commonest errors of files.
func advise(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: make room, or write to another file system", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: give the user of the job the right to write there, or choose another folder", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: make the folder that it is to be in", err)
	}
	return err
}
