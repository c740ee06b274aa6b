package launch

import "os"

// control is the standard input of ssh: it takes the script for the other host, then the names of signals. A goroutine
// writes, because ssh reads nothing before it is connected, and a script may be longer than a pipe has room for.
type control struct {
	file  *os.File
	words chan string
	quiet chan struct{} // closed when the goroutine has ended
}

// wordsMax bounds what is queued for a host that does not read. Such a host is ended by other means.
const wordsMax = 64

func newControl(file *os.File) *control {
	c := &control{file: file, words: make(chan string, wordsMax), quiet: make(chan struct{})}
	go func() {
		defer close(c.quiet)
		for w := range c.words {
			_, _ = c.file.WriteString(w) // fails when ssh has ended, which is seen elsewhere
		}
	}()
	return c
}

// say writes text after all that was said before, without waiting. It must not be called after close.
func (c *control) say(text string) {
	select {
	case c.words <- text:
	default:
	}
}

func (c *control) close() {
	close(c.words)
	c.file.Close() // ends a write that waits
	<-c.quiet
}
