package ingest

import (
	"bytes"
	"errors"
	"io"
)

// windowBytes is how much is read at a time: it stays in a core's second cache until its lines have been handled.
const windowBytes = 256 << 10

// errLong: a record does not fit in the limit.
var errLong = errors.New("the record is longer than the limit: raise ingest.RowLimit if that is intended")

// A window is a buffer over a stream, in which records are found. Slices of it are good until the next call.
type window struct {
	*stream
	buf      []byte
	pos, end int   // what has been read and not yet taken
	base     int64 // offset of buf[0] in the stream
	limit    int   // bytes of the longest record
	first    mark  // where the record begins that is being read
	counting bool  // whether lines are counted
	lines    int64 // ends of lines before the next byte
	err      error // sticky: io.EOF, or what is wrong with the file
}

// room is for the end of a line behind the longest record, and for the byte behind that.
const room = 3

// A mark is a place in a stream.
type mark struct{ at, lines int64 }

// newWindow makes a window that takes the useful part of a buffer.
func newWindow(s *stream, limit int, buf []byte) *window {
	return &window{stream: s, limit: limit, buf: buf[:min(len(buf), limit+room)]}
}

// begin says that a record begins at the next byte, and returns its offset in the stream.
func (w *window) begin() int64 {
	w.first = mark{w.at(), w.lines}
	return w.first.at
}

// again goes back to where the record began, which has not left the buffer.
func (w *window) again() {
	w.pos -= int(w.at() - w.first.at)
	w.lines = w.first.lines
}

// pass goes behind so many bytes.
func (w *window) pass(n int) {
	if w.counting {
		w.lines += int64(bytes.Count(w.buf[w.pos:w.pos+n], []byte{'\n'}))
	}
	w.pos += n
}

// at is the offset in the stream of the next byte.
func (w *window) at() int64 { return w.base + int64(w.pos) }

// begins reports whether a record that begins at the next byte is this piece's: one that begins where the next piece
// does is, because that piece cannot see that a record begins there.
func (w *window) begins() bool { return w.at() <= w.edge }

// fill reads more behind what is there, and moves that to the front for it. Its error is io.EOF, errLong when what is
// there is as long as a record may be, or the file's.
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

// take takes the next record: end finds how long it is among the bytes that are there, of which it has seen some
// before, or returns 0. The last record of a file is what is left. The error is io.EOF behind that; errLong, which
// leaves the record where it is; or the file's.
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

// lineEnd is where the first line ends.
func lineEnd(b []byte, seen int) int {
	if i := bytes.IndexByte(b[seen:], '\n'); i >= 0 {
		return seen + i + 1
	}
	return 0
}

// taken takes a record of so many bytes.
func (w *window) taken(n int) ([]byte, error) {
	record := w.buf[w.pos : w.pos+n]
	if n > w.limit && len(chomp(record)) > w.limit {
		return nil, errLong
	}
	w.pass(n)
	return record, nil
}

// chomp takes \n or \r\n from the end of a line; \r, too, from that of a file, as encoding/csv and bufio do.
func chomp(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// skipLine goes behind the next end of a line, however far that is, and reports whether there was one before the
// piece's edge.
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

// dropLine goes behind the next end of a line, whoever's it is. What keeps it from there is the next error.
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

// peek returns up to n of the next bytes without taking them: fewer at the end of the file, or before what is wrong.
func (w *window) peek(n int) []byte {
	for w.end-w.pos < n && w.fill() == nil {
	}
	return w.buf[w.pos:min(w.end, w.pos+n)]
}
