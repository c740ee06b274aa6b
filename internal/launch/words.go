package launch

import (
	"bytes"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// order is the first message of the launcher to an agent: the agent's processes, and their settings. The program and
// its arguments are the agent's own arguments.
type order struct {
	Job                      string
	Secret                   []byte
	Processes, Ranks         int    // of the whole job
	First, Last              int    // the agent's processes: First..Last-1
	Interface                string // interface that processes listen on; "" is their address towards Toward
	Toward                   string // the launcher's address
	Transport, Connect       string
	StartLimit, SilenceLimit time.Duration
	Grace                    time.Duration
}

// command is every other message of the launcher to an agent.
type command struct {
	departure                // for the processes
	Signal    syscall.Signal `json:",omitempty"` // for the processes
	Check     bool           `json:",omitempty"` // others have ended: no process may stay stopped
}

// word is a message of an agent to the launcher.
type word struct {
	Process   int
	Address   string     `json:",omitempty"` // the process has joined, and listens there
	Text      []byte     `json:",omitempty"` // output of the process
	Errors    bool       `json:",omitempty"` // Text is for standard error
	Complaint *complaint `json:",omitempty"` // complaint that Of has sent
	Of        int        `json:",omitempty"` // sender: a process, or the agent about the process's line
	Saved     bool       `json:",omitempty"` // the process reports a checkpoint
	Ended     bool       `json:",omitempty"` // the process has ended, with Status
	Status    int        `json:",omitempty"`
	Failed    string     `json:",omitempty"` // reason why the agent starts no process
}

const (
	orderBytesMax = 16 << 10
	wordBytesMax  = 128 << 10
	wordsEach     = 4 // most messages of the agent's loop about a process, without output
)

// encoded returns a message as its bytes on the wire.
func encoded(message any) []byte {
	var b bytes.Buffer
	_ = handshake.WriteMessage(&b, message) // to memory
	return b.Bytes()
}

// above is an agent's connection to the launcher. A goroutine writes: a launcher that reads slowly delays the output of
// processes, but not the agent's loop.
type above struct {
	words chan word // of the loop: capacity for all
	texts chan word // output of processes
	ended sync.WaitGroup
}

func newAbove(w io.Writer, processes int) *above {
	a := &above{words: make(chan word, wordsEach*processes+1), texts: make(chan word)}
	a.ended.Go(func() { a.write(w) })
	return a
}

// write writes messages until both queues are closed. After an error it drops them: the launcher is gone.
func (a *above) write(w io.Writer) {
	words, texts := a.words, a.texts
	var gone error
	for words != nil || texts != nil {
		var next word
		var ok bool
		select {
		case next, ok = <-words:
			if !ok {
				words = nil
			}
		case next, ok = <-texts:
			if !ok {
				texts = nil
			}
		}
		if ok && gone == nil {
			gone = handshake.WriteMessage(w, next)
		}
	}
}

// close returns when all messages have been written. None may be sent afterwards.
func (a *above) close() {
	close(a.words)
	close(a.texts)
	a.ended.Wait()
}

// printer passes on the output of a process.
type printer struct {
	above   *above
	process int
	errors  bool
}

func (p printer) Write(text []byte) (int, error) {
	p.above.texts <- word{Process: p.process, Text: bytes.Clone(text), Errors: p.errors}
	return len(text), nil
}
