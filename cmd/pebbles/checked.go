package main

import "io"

// checked is a standard output that keeps the first error of a write, since help, completion and tables in pieces are printed by
// code that does not look. It is for one goroutine.
type checked struct {
	to  io.Writer
	err error
}

func (c *checked) Write(text []byte) (int, error) {
	n, err := c.to.Write(text)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// unchecked is what a writer leads to: a process that is started gets a terminal as it is.
func unchecked(w io.Writer) io.Writer {
	for {
		c, ok := w.(*checked)
		if !ok {
			return w
		}
		w = c.to
	}
}
