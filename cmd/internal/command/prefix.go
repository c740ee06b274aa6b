package command

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/activepebbles/pebbles/netio"
)

// prefixWriter is the standard error of a process. Each line begins with the ranks of the process, except for process 0
// and for a job of one process. Any goroutine may call it; each Write must consist of whole lines.
type prefixWriter struct {
	to     io.Writer
	mutex  sync.Mutex
	prefix string
}

// setPlace sets the prefix for the ranks of this process.
func (w *prefixWriter) setPlace(p netio.Place) {
	if p.Process == 0 {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.prefix = fmt.Sprintf("[%d-%d] ", p.First, p.Last-1)
	if p.Last-p.First == 1 {
		w.prefix = fmt.Sprintf("[%d] ", p.First)
	}
}

func (w *prefixWriter) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.prefix == "" {
		return w.to.Write(text)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		out.WriteString(w.prefix)
		out.Write(line)
	}
	if _, err := w.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}
