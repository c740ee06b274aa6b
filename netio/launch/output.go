package launch

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"
)

// lineBytesMax is the longest line that is kept in one piece.
const lineBytesMax = 1 << 20

// output forwards what the processes of a job print, whole lines at a time.
type output struct {
	mu      sync.Mutex // one for all: both streams may lead to the same place
	readers sync.WaitGroup
	open    []*os.File
}

// forward makes a file for a process to print to. What is printed goes to w, each line after prefix. The caller closes
// the file when the process has it.
func (o *output) forward(w io.Writer, prefix string) (*os.File, error) {
	r, file, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.open = append(o.open, r)
	o.readers.Go(func() {
		defer r.Close()
		l := &lines{to: w, prefix: prefix, mu: &o.mu}
		l.copy(r)
	})
	return file, nil
}

// close waits for the end of all output, but not long: a process may have handed its output to one that has left the job.
func (o *output) close() {
	for _, r := range o.open {
		r.SetReadDeadline(time.Now().Add(time.Second))
	}
	o.readers.Wait()
}

// lines is one stream of one process.
type lines struct {
	mu     *sync.Mutex
	to     io.Writer
	prefix string
	rest   []byte // read, but not yet a whole line
	ready  []byte // lines to write
	broken bool   // writing has failed: the rest is read and dropped, so that the process is not held up
}

func (l *lines) copy(r io.Reader) {
	piece := make([]byte, 32<<10)
	for {
		n, err := r.Read(piece)
		l.add(piece[:n])
		if err != nil {
			break
		}
	}
	if len(l.rest) > 0 {
		l.line(l.rest)
		l.write()
	}
}

func (l *lines) add(piece []byte) {
	for {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			break
		}
		l.rest = append(l.rest, piece[:end]...)
		l.line(l.rest)
		l.rest = l.rest[:0]
		piece = piece[end+1:]
	}
	l.rest = append(l.rest, piece...)
	for len(l.rest) >= lineBytesMax {
		l.line(l.rest[:lineBytesMax])
		l.rest = append(l.rest[:0], l.rest[lineBytesMax:]...)
	}
	l.write()
}

func (l *lines) line(text []byte) {
	l.ready = append(l.ready, l.prefix...)
	l.ready = append(l.ready, text...)
	l.ready = append(l.ready, '\n')
}

func (l *lines) write() {
	if len(l.ready) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.broken {
		_, err := l.to.Write(l.ready)
		l.broken = err != nil
	}
	l.ready = l.ready[:0]
}
