package export

import (
	"errors"
	"fmt"
	"hash/crc32"
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
	packer
	file  disk.File
	sum   uint32
	bytes int64
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
	p.packer, err = newPacker(counted{p}, by, first)
	return p, err
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
	err := p.end()
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
