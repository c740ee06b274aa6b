package export

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/activepebbles/pebbles/internal/disk"
)

// bufferBytes is the number of bytes of a part written at a time.
const bufferBytes = 256 << 10

// A part is the file that one rank writes.
type part struct {
	packer
	file  disk.File
	sum   uint32
	bytes int64
	later *later // nil: bytes go directly to the file
}

// later is a part that stays in memory until a goroutine writes it.
type later struct {
	blocks [][]byte
	stop   atomic.Bool
	done   chan struct{} // nil until the goroutine starts
	whole  Part          // valid when the goroutine has ended
	err    error
}

func newPart(folder, name string, by *packing, first, isLater bool) (*part, error) {
	if by != nil {
		name += by.suffix
	}
	file, err := disk.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("write %w", advise(err))
	}
	p := &part{file: file}
	if isLater {
		p.later = &later{}
	}
	p.packer, err = newPacker(counted{p}, by, first)
	return p, err
}

// counted counts and sums the bytes that go to the file.
type counted struct{ *part }

// Write implements io.Writer.
func (c counted) Write(b []byte) (int, error) {
	n, err := len(b), error(nil)
	if c.later != nil {
		c.later.blocks = append(c.later.blocks, slices.Clone(b))
	} else {
		n, err = c.file.Write(b)
	}
	c.sum = crc32.Update(c.sum, castagnoli, b[:n])
	c.bytes += int64(n)
	return n, err
}

// begin starts a goroutine that writes the part from memory.
func (p *part) begin() {
	l := p.later
	l.done, l.err = make(chan struct{}), p.end()
	go func() {
		defer close(l.done)
		for _, block := range l.blocks {
			if l.err == nil && !l.stop.Load() {
				_, l.err = p.file.Write(block)
			}
		}
		l.blocks = nil
		l.whole, l.err = p.close(l.err)
	}()
}

// written reports whether the goroutine has ended.
func (p *part) written() bool {
	select {
	case <-p.later.done:
		return true
	default:
		return false
	}
}

// finish writes the rest, syncs the file and closes it.
func (p *part) finish() (Part, error) {
	l := p.later
	if l == nil {
		return p.close(p.end())
	}
	if l.done == nil {
		p.begin()
	}
	<-l.done
	return l.whole, l.err
}

// close syncs the file and closes it.
func (p *part) close(err error) (Part, error) {
	if err == nil {
		err = p.file.Sync()
	}
	err = errors.Join(err, p.file.Close())
	return Part{Name: filepath.Base(p.file.Name()), Bytes: p.bytes, Checksum: checksum(p.sum)}, err
}

func (p *part) abort() {
	if l := p.later; l != nil && l.done != nil {
		l.stop.Store(true)
		<-l.done
	}
	p.file.Close()
	_ = disk.Remove(p.file.Name()) // it may be gone already, or renamed
}

// advise adds the remedy to common errors of files.
func advise(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: make room, or write to another file system", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: give the user of the job the right to write there, or choose another folder", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: create the folder that contains it", err)
	}
	return err
}
