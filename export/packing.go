package export

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A packing is a compression of parts.
type packing struct {
	suffix  string // of file names
	option  string // name of its option
	encoder func() (encoder, error)
}

// An encoder compresses its input from Reset to Close to one frame.
type encoder interface {
	io.WriteCloser
	Reset(to io.Writer)
}

var (
	gzipPacking = packing{".gz", "export.Gzip", func() (encoder, error) { return gzip.NewWriter(nil), nil }}
	zstdPacking = packing{".zst", "export.Zstd", func() (encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	}}
	packings = []*packing{&gzipPacking, &zstdPacking}
)

// frameBytes is the approximate number of bytes in a frame before compression.
const frameBytes = 4 << 20

// A packer buffers its input, and compresses it if there is a packing.
type packer struct {
	*bufio.Writer
	frames *frames // nil without compression
}

// newPacker makes a packer. first reports whether its output begins a file; a file has a frame even if it is empty.
func newPacker(to io.Writer, by *packing, first bool) (p packer, err error) {
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

// cut ends a frame.
func (p packer) cut() error {
	if p.frames == nil {
		return nil
	}
	if err := p.Flush(); err != nil || !p.frames.open {
		return err
	}
	return p.frames.end()
}

// end writes the rest.
func (p packer) end() error {
	err := p.Flush()
	if p.frames != nil && err == nil {
		err = p.frames.close()
	}
	return err
}

// frames compresses its input to a sequence of frames.
type frames struct {
	to      io.Writer
	encoder encoder
	most    int  // maximum bytes of a frame, exceeded by at most one Write
	n       int  // bytes in this frame
	open    bool // whether a frame is open
	any     bool // whether this part, or one before it, has a frame
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

// close ends the last frame. An empty part becomes one empty frame.
func (f *frames) close() error {
	if !f.any {
		f.encoder.Reset(f.to)
	} else if !f.open {
		return nil
	}
	return f.end()
}
