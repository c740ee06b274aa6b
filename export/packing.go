package export

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A packing is a compression of parts.
type packing struct {
	suffix  string // of names
	option  string // which asks for it
	encoder func() (encoder, error)
}

// An encoder compresses what is written to it, to one frame from Reset to Close.
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

// frameBytes is about how much of a part is in one frame, before it is compressed.
const frameBytes = 4 << 20

// A packer buffers what is written to it, and compresses it if there is a packing.
type packer struct {
	*bufio.Writer
	frames *frames // nil without compression
}

// newPacker makes a packer. first reports whether what is written begins a file, which is a frame even if it is empty.
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

// end writes what is left.
func (p packer) end() error {
	err := p.Flush()
	if p.frames != nil && err == nil {
		err = p.frames.close()
	}
	return err
}

// frames compresses what is written to it, in one frame after the other.
type frames struct {
	to      io.Writer
	encoder encoder
	most    int  // bytes of a frame, and of what is written at a time more
	n       int  // bytes in this frame
	open    bool // whether there is one
	any     bool // whether there is one, in this part or before it
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
