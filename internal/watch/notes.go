package watch

import (
	"encoding/json"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// note is a message between processes. Exactly one of its fields is set.
type note struct {
	Count  *count `json:"count,omitempty"`  // to process 0: the progress of the sender
	Ask    *ask   `json:"ask,omitempty"`    // from process 0: a request for the receiver's state
	Told   *told  `json:"told,omitempty"`   // the answer
	Report bool   `json:"report,omitempty"` // to process 0: the sender asks for a report
}

// ask is a request of process 0.
type ask struct {
	Full bool `json:"full"` // include events and stacks
}

// told is the state of a process.
type told struct {
	Process *state.Process `json:"process"`
	Stacks  []state.Calls  `json:"stacks,omitempty"`
}

// noted handles a note. The reader of a connection calls it, so it must not wait.
func (w *Watcher) noted(process int, text []byte) {
	var n note
	if json.Unmarshal(text, &n) != nil {
		return // a process of another version would have failed the handshake
	}
	if n.Ask != nil {
		w.aside(func() { w.state(n.Ask.Full) })
	}
	if w.place.Process != 0 {
		return
	}
	w.peers.heard(process, n)
	if n.Report {
		w.aside(w.quitting)
	}
}

// aside runs f on a goroutine, unless the job has ended.
func (w *Watcher) aside(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.running.Go(f)
	}
}

// state sends process 0 the state of this process.
func (w *Watcher) state(full bool) {
	t := told{}
	t.Process, t.Stacks = w.process(full)
	w.peers.send(0, note{Told: &t})
}
