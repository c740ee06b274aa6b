package sim

import (
	"bufio"
	"fmt"
	"io"

	"github.com/activepebbles/pebbles/netio"
)

// trace writes a line for each event, in the order of the simulation: picoseconds, event, from, to, and the frame's
// fields. The same seed gives the same bytes.
type trace struct {
	to  *bufio.Writer // nil: no trace
	err error
}

func newTrace(w io.Writer) trace {
	if w == nil {
		return trace{}
	}
	t := trace{to: bufio.NewWriter(w)}
	_, t.err = fmt.Fprintln(t.to, "# picoseconds\twhat\tfrom\tto\tkind\ttarget\tepoch\tpebbles\tbytes\tseq\ttag")
	return t
}

func (t *trace) frame(at instant, what string, f *netio.Frame) {
	if t.to == nil || t.err != nil {
		return
	}
	kind := "data"
	if f.Kind == netio.Control {
		kind = "control"
	}
	_, t.err = fmt.Fprintf(t.to, "%d\t%s\t%d\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n",
		at, what, f.From, f.To, kind, f.Target, f.Epoch, f.Count, f.Bytes, f.Seq, f.Tag)
}

func (t *trace) note(at instant, what string, from, to int) {
	if t.to == nil || t.err != nil {
		return
	}
	_, t.err = fmt.Fprintf(t.to, "%d\t%s\t%d\t%d\n", at, what, from, to)
}

func (t *trace) flush() {
	if t.to != nil && t.err == nil {
		t.err = t.to.Flush()
	}
}
