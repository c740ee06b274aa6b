package watch

import (
	"encoding/json"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/netio"
)

// note is what processes tell each other. One of its fields is set.
type note struct {
	Count  *count `json:"count,omitempty"`  // to process 0: how far the sender's ranks have come
	Ask    *ask   `json:"ask,omitempty"`    // from process 0: it wants the receiver's state
	Told   *told  `json:"told,omitempty"`   // the answer
	Report bool   `json:"report,omitempty"` // to process 0: somebody wants a report where the sender is
}

// ask is what process 0 wants to know.
type ask struct {
	Full bool `json:"full"` // events and stacks as well
}

// told is what a process tells of itself.
type told struct {
	Process *state.Process `json:"process"`
	Stacks  []state.Calls  `json:"stacks,omitempty"`
}

// send sends a note, unless it is too long.
func (w *Watcher) send(process int, n note) {
	if w.noter == nil {
		return
	}
	text, err := json.Marshal(n)
	if err == nil && len(text) <= netio.NoteBytesMax {
		w.noter.Note(process, text)
	}
}

func (w *Watcher) tell(c count) { w.send(0, note{Count: &c}) }

// noted takes a note. Whoever has read it must not wait.
func (w *Watcher) noted(process int, text []byte) {
	var n note
	if json.Unmarshal(text, &n) != nil {
		return // of another version of this program: they have shaken hands, so there is none
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n.Ask != nil {
		w.aside(func() { w.state(n.Ask.Full) })
	}
	if w.place.Process != 0 {
		return
	}
	w.others[process].heard = 0
	switch {
	case n.Count != nil:
		w.others[process].count = *n.Count
	case n.Told != nil && n.Told.Process != nil:
		w.others[process].state, w.others[process].stated = n.Told.Process, time.Now()
		w.stacks = append(w.stacks, n.Told.Stacks...)
		close(w.answer)
		w.answer = make(chan struct{})
	case n.Report:
		w.aside(w.quitting)
	}
}

// aside runs f beside, unless the job has ended. Its caller has the lock.
func (w *Watcher) aside(f func()) {
	if !w.ended {
		w.running.Go(f)
	}
}

// state tells process 0 the state of this one.
func (w *Watcher) state(full bool) {
	t := told{}
	t.Process, t.Stacks = w.process(full)
	w.send(0, note{Told: &t})
}
