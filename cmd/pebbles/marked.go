package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/activepebbles/pebbles/netio"
)

// marked is the standard error of a process. When that is one of several and not the first, each line names its ranks. It
// may be used by any goroutine; each Write is whole lines.
type marked struct {
	to     io.Writer
	mutex  sync.Mutex
	prefix string
}

// mark says which process this is.
func (m *marked) mark(p netio.Place) {
	if p.Process == 0 {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.prefix = fmt.Sprintf("[%d-%d] ", p.First, p.Last-1)
	if p.Last-p.First == 1 {
		m.prefix = fmt.Sprintf("[%d] ", p.First)
	}
}

func (m *marked) Write(text []byte) (int, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.prefix == "" {
		return m.to.Write(text)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		out.WriteString(m.prefix)
		out.Write(line)
	}
	if _, err := m.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}
