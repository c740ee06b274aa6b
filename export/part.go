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

	"github.com/activepebbles/pebbles/internal/disk"
)

// bufferBytes is how much of a part is written at a time.
const bufferBytes = 256 << 10

// A part is the file that one rank writes.
type part struct {
	*bufio.Writer
	file   disk.File
	frames *frames // nil without compression
	sum    uint32
	bytes  int64
}

func newPart(folder, name string, by *packing, first bool) (*part, error) {
	if by != nil {
		name += by.suffix
	}
	file, err := disk.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("write %w", advise(err))
	}
	p := &part{file: file}
	to := io.Writer(counted{p})
	if by != nil {
		e, err := by.encoder()
		if err != nil {
			return p, err
		}
		p.frames = &frames{to: to, encoder: e, most: frameBytes, any: !first}
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

// cut ends a frame.
func (p *part) cut() error {
	if p.frames == nil {
		return nil
	}
	if err := p.Flush(); err != nil || !p.frames.open {
		return err
	}
	return p.frames.end()
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
