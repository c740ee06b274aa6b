package launch

import (
	"bytes"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// order is the first message of the launcher to an agent: which processes of the job it starts, and what they need. The
// program and its arguments are the agent's own arguments.
type order struct {
	Job                      string
	Secret                   []byte
	Processes, Ranks         int    // of the whole job
	First, Last              int    // the agent's processes: First..Last-1
	Interface                string // where processes listen; "" is the address from which they reach Toward
	Toward                   string // the launcher's address
	Transport, Connect       string
	StartLimit, SilenceLimit time.Duration
	Grace                    time.Duration
}

// command is every other message of the launcher to an agent.
type command struct {
	departure                // for the processes
	Signal    syscall.Signal `json:",omitempty"` // for the processes
	Check     bool           `json:",omitempty"` // others have ended: from now on a process must not stay stopped
}

// word is a message of an agent to the launcher.
type word struct {
	Process   int
	Address   string     `json:",omitempty"` // it has joined, and listens there
	Text      []byte     `json:",omitempty"` // it has printed this
	Errors    bool       `json:",omitempty"` // to standard error
	Complaint *complaint `json:",omitempty"` // it has sent this
	Of        int        `json:",omitempty"` // whose complaint it is: the process's, or the agent's about its line
	Saved     bool       `json:",omitempty"` // it tells of a checkpoint
	Ended     bool       `json:",omitempty"` // it has ended, with Status
	Status    int        `json:",omitempty"`
	Failed    string     `json:",omitempty"` // why the agent starts no process
}

const (
	orderBytesMax = 16 << 10
	wordBytesMax  = 128 << 10
	wordsEach     = 4 // words of a process that the agent's loop may send, besides output, at most
)

// encoded is a message as it travels.
func encoded(message any) []byte {
	var b bytes.Buffer
	_ = handshake.WriteMessage(&b, message) // to memory
	return b.Bytes()
}

// above is an agent's way to the launcher. A goroutine writes, so that a launcher that reads slowly holds up what
// processes print, but not the agent's loop.
type above struct {
	words chan word // of the loop: capacity for all
	texts chan word // that processes have printed
	ended sync.WaitGroup
}

func newAbove(w io.Writer, processes int) *above {
	a := &above{words: make(chan word, wordsEach*processes+1), texts: make(chan word)}
	a.ended.Go(func() { a.write(w) })
	return a
}

// write ends when both queues were closed. When the launcher is gone, what is left is dropped.
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

// close returns when all has been written. Nothing may be told any more.
func (a *above) close() {
	close(a.words)
	close(a.texts)
	a.ended.Wait()
}

// printer passes on what a process prints.
type printer struct {
	above   *above
	process int
	errors  bool
}

func (p printer) Write(text []byte) (int, error) {
	p.above.texts <- word{Process: p.process, Text: bytes.Clone(text), Errors: p.errors}
	return len(text), nil
}
