package main

import "io"

// checked is a standard output that keeps its first write error, because the code that prints help, completions and
// tables ignores errors. It is for one goroutine.
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

// unchecked unwraps a checked writer: a started process gets the terminal itself.
func unchecked(w io.Writer) io.Writer {
	for {
		c, ok := w.(*checked)
		if !ok {
			return w
		}
		w = c.to
	}
}
