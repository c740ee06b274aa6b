package launch

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"
)

const (
	lineBytesMax = 64 << 20 // maximum length of a line that is kept in one piece, in memory
	pipeBytesMax = 1 << 20  // maximum size of a pipe for users without privileges
)

// output forwards the output of a job's processes.
type output struct {
	mu      sync.Mutex // one for all streams, which may lead to one file; guards err
	err     error      // the first failure to write
	readers sync.WaitGroup
	open    []*os.File
}

// forward returns a file for the output of a process, and forwards the output by the rules of l. The caller closes the
// file after the process has inherited it.
func (o *output) forward(l *lines) (*os.File, error) {
	l.output = o
	return o.pass(func(r *os.File) { l.copy(r) })
}

// pass returns a file for the output of a process, and calls read to read the output to its end.
func (o *output) pass(read func(r *os.File)) (*os.File, error) {
	r, file, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.open = append(o.open, r)
	o.readers.Go(func() {
		defer r.Close()
		read(r)
	})
	return file, nil
}

// close waits until all output so far has been forwarded, even to a slow reader. It waits only a second for more: a
// process may have passed its output to one outside the job.
func (o *output) close() {
	o.setDeadline(time.Second)
	o.readers.Wait()
}

// setDeadline bounds the wait for more output.
func (o *output) setDeadline(after time.Duration) {
	for _, r := range o.open {
		r.SetReadDeadline(time.Now().Add(after))
	}
}

// lines is one stream of one process.
type lines struct {
	*output
	from   string // the process, for errors
	to     io.Writer
	prefix string // before each line
	raw    bool   // bytes pass on unchanged: no other process writes there
	most   int    // maximum length of a line in bytes; 0 is lineBytesMax
	rest   []byte // read, but not yet a whole line
	ready  []byte // to write
	login  *login // delays the output before its end; may be nil
	broken bool   // writing has failed: the rest is read and dropped, so the process does not block
}

func (l *lines) copy(r io.Reader) {
	piece := make([]byte, 32<<10)
	if l.login != nil {
		l.add(l.login.readOutput(r, piece))
	}
	for {
		n, err := r.Read(piece)
		l.add(piece[:n])
		if err != nil {
			break
		}
	}
	if file, ok := r.(*os.File); ok {
		l.drain(file, piece)
	}
	l.end()
}

// end forwards a last line without a newline.
func (l *lines) end() {
	if len(l.rest) > 0 {
		l.line(l.rest)
		l.write()
		l.rest = nil
	}
}

// drain forwards the output that is left in a pipe, without waiting for more: slow writes may have used up the time for
// reads.
func (l *lines) drain(r *os.File, piece []byte) {
	conn, err := r.SyscallConn()
	if err != nil || r.SetReadDeadline(time.Time{}) != nil {
		return // not a pipe of forward
	}
	for left := pipeBytesMax; left > 0; {
		var n int
		var failed error
		read := func(fd uintptr) bool {
			n, failed = syscall.Read(int(fd), piece)
			return true
		}
		if err := conn.Read(read); err != nil || failed != nil || n <= 0 {
			return
		}
		l.add(piece[:n])
		left -= n
	}
}

func (l *lines) add(piece []byte) {
	if l.raw {
		l.ready = append(l.ready, piece...)
		l.write()
		return
	}
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
	most := l.most
	if most == 0 {
		most = lineBytesMax
	}
	for len(l.rest) >= most {
		l.line(l.rest[:most])
		l.rest = append(l.rest[:0], l.rest[most:]...)
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
		if l.broken = err != nil; l.broken && l.err == nil {
			l.err = fmt.Errorf("forward the output of %s: %w", l.from, err)
		}
	}
	l.ready = l.ready[:0]
}

// stream is the output file of a process.
type stream struct {
	file *os.File
	ours bool // made for the process: closed here
}

func (s stream) release() {
	if s.ours {
		s.file.Close()
	}
}

// stdout and stderr make the streams of a process of this machine.
func (j *job) stdout(p *process) (stream, error) { return j.stream(p, j.linesOf(p, false)) }
func (j *job) stderr(p *process) (stream, error) { return j.stream(p, j.linesOf(p, true)) }

// linesOf returns the destination of the output of a process, as Spec sets it. An agent passes the output on unchanged.
func (j *job) linesOf(p *process, errors bool) *lines {
	of := p.identity()
	l := &lines{to: j.spec.Stdout, prefix: j.prefix(of.ranks()), raw: j.alone(), from: of.name()}
	switch {
	case j.above != nil:
		l.to, l.prefix, l.raw = printer{j.above, p.Process, errors}, "", true
	case errors:
		l.to = j.spec.Stderr
	case j.spec.First && p.Process == 0:
		l.prefix, l.raw = "", true
	case j.spec.First:
		l.to = j.spec.Stderr
	}
	return l
}

// alone reports whether the job's one process is the only one that prints.
func (j *job) alone() bool { return j.spec.Processes == 1 && !j.spec.Prefix }

// prefix returns the prefix of each line of some ranks.
func (j *job) prefix(ranks string) string {
	if !j.spec.Prefix {
		return ""
	}
	return "[" + ranks + "] "
}

func (j *job) stream(p *process, l *lines) (stream, error) {
	file, ok := l.to.(*os.File)
	if ok && l.prefix == "" && p.Process == 0 && p.Host == "" && term.IsTerminal(int(file.Fd())) {
		return stream{file: file}, nil
	}
	file, err := j.output.forward(l)
	if err != nil {
		return stream{}, fmt.Errorf("make pipe for the output of %s: %w", p.name(), err)
	}
	return stream{file, true}, nil
}
