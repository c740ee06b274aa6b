package ingest

import (
	"bytes"
	"errors"
	"io"
)

// windowBytes is the number of bytes read at a time: they stay in a core's second-level cache while their lines are
// handled.
const windowBytes = 256 << 10

// errLong is the error of a record that exceeds the limit.
var errLong = errors.New("the record is longer than the limit: raise ingest.RowLimit if that is intended")

// A window is a buffer over a stream, for finding records. Its slices are valid until the next call.
type window struct {
	*stream
	buf      []byte
	pos, end int   // bytes that have been read and not yet taken
	base     int64 // offset of buf[0] in the stream
	limit    int   // bytes of the longest record
	first    mark  // beginning of the current record
	counting bool  // whether lines are counted
	lines    int64 // ends of lines before the next byte
	err      error // sticky: io.EOF, or the error of the file
}

// room is space for a line end behind the longest record, and for one byte behind that.
const room = 3

// A mark is a place in a stream.
type mark struct{ at, lines int64 }

// newWindow returns a window that uses buf, up to the useful length.
func newWindow(s *stream, limit int, buf []byte) *window {
	return &window{stream: s, limit: limit, buf: buf[:min(len(buf), limit+room)]}
}

// begin marks the next byte as the beginning of a record, and returns its offset in the stream.
func (w *window) begin() int64 {
	w.first = mark{w.at(), w.lines}
	return w.first.at
}

// again moves back to the beginning of the current record, which is still in the buffer.
func (w *window) again() {
	w.pos -= int(w.at() - w.first.at)
	w.lines = w.first.lines
}

// pass moves n bytes ahead.
func (w *window) pass(n int) {
	if w.counting {
		w.lines += int64(bytes.Count(w.buf[w.pos:w.pos+n], []byte{'\n'}))
	}
	w.pos += n
}

// at returns the offset of the next byte in the stream.
func (w *window) at() int64 { return w.base + int64(w.pos) }

// begins reports whether a record that begins at the next byte belongs to this piece. One at the beginning of the next
// piece does, because the next piece cannot recognize it.
func (w *window) begins() bool { return w.at() <= w.edge }

// fill moves the unread bytes to the front of the buffer and reads more behind them. Its error is io.EOF, errLong if
// the unread bytes already fill the limit, or that of the file.
func (w *window) fill() error {
	if w.err != nil {
		return w.err
	}
	if w.pos > 0 {
		w.base += int64(w.pos)
		w.end = copy(w.buf, w.buf[w.pos:w.end])
		w.pos = 0
	}
	if most := w.limit + room; w.end == len(w.buf) {
		if w.end >= most {
			return errLong
		}
		larger := make([]byte, min(2*len(w.buf), most))
		copy(larger, w.buf)
		w.buf = larger
	}
	n, err := w.Read(w.buf[w.end:])
	w.end += n
	w.err = err
	if n > 0 {
		return nil
	}
	return err
}

// take takes the next record. end returns its length in b, or 0 if it does not end there; it has examined the first
// seen bytes before. The last record of a file is the rest of it. The error is io.EOF behind that; errLong, which
// leaves the record in place; or that of the file.
func (w *window) take(end func(b []byte, seen int) int) ([]byte, error) {
	for seen := 0; ; {
		b := w.buf[w.pos:w.end]
		if n := end(b, seen); n > 0 {
			return w.taken(n)
		}
		seen = len(b)
		if err := w.fill(); err == io.EOF && seen > 0 {
			return w.taken(seen)
		} else if err != nil {
			return nil, err
		}
	}
}

// line takes the next line, and returns it without its end. Its errors are those of take.
func (w *window) line() (line []byte, err error) {
	if i := bytes.IndexByte(w.buf[w.pos:w.end], '\n'); i >= 0 {
		line, err = w.taken(i + 1)
	} else {
		line, err = w.take(lineEnd)
	}
	return chomp(line), err
}

// lineEnd returns the length of the first line with its end, or 0.
func lineEnd(b []byte, seen int) int {
	if i := bytes.IndexByte(b[seen:], '\n'); i >= 0 {
		return seen + i + 1
	}
	return 0
}

// taken takes a record of n bytes.
func (w *window) taken(n int) ([]byte, error) {
	record := w.buf[w.pos : w.pos+n]
	if n > w.limit && len(chomp(record)) > w.limit {
		return nil, errLong
	}
	w.pass(n)
	return record, nil
}

// chomp removes \n or \r\n from the end of a line, and a lone \r from the end of a file, as encoding/csv and bufio do.
func chomp(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// skipLine moves behind the next line end, however far, and reports whether that was before the piece's edge.
func (w *window) skipLine() bool {
	for {
		if i := bytes.IndexByte(w.buf[w.pos:w.end], '\n'); i >= 0 {
			w.pass(i + 1)
			return w.begins()
		}
		w.pass(w.end - w.pos)
		if !w.begins() || w.fill() != nil {
			return false
		}
	}
}

// dropLine moves behind the next line end, even beyond the piece. An error on the way is the next call's.
func (w *window) dropLine() {
	for {
		if i := bytes.IndexByte(w.buf[w.pos:w.end], '\n'); i >= 0 {
			w.pass(i + 1)
			return
		}
		if w.pass(w.end - w.pos); w.fill() != nil {
			return
		}
	}
}

// peek returns the next n bytes without taking them: fewer at the end of the file or before an error.
func (w *window) peek(n int) []byte {
	for w.end-w.pos < n && w.fill() == nil {
	}
	return w.buf[w.pos:min(w.end, w.pos+n)]
}
