package ingest

import "io"

// Lines gives the lines of text files, without their ends: \n, or \r\n. The last line of a file need not have one; a
// byte order mark is left out. A line is good until the next one. Bytes may be any, NUL too.
//
// It costs some nanoseconds a line beside reading, and no allocation a line.
func Lines() Format[[]byte] {
	return Format[[]byte]{"lines", func(in *input) (reader[[]byte], error) { return lines{in}, nil }}
}

type lines struct{ *input }

func (lines) prepare() error { return nil }

func (lines) finder() finder { return nil }

func (l lines) read(p piece, yield func([]byte) bool) error {
	return l.readStream(p, func(p *part) error {
		return p.lines(func(line []byte, _ int64) error {
			p.Rows++
			if !yield(line) {
				return errStop
			}
			return nil
		})
	})
}

// lines hands the lines that begin in a piece to a function, with their offsets in the stream.
func (p *part) lines(each func(line []byte, at int64) error) error {
	if !p.start() {
		return p.ended()
	}
	for p.begins() {
		at := p.at()
		line, err := p.line()
		if err == errLong {
			if err = p.bad(at, err); err == nil {
				err = p.dropLine()
			}
		} else if err == nil {
			err = each(line, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ended is what has ended reading: nil at the edge.
func (p *part) ended() error {
	if p.err == io.EOF {
		return nil
	}
	return p.err
}
