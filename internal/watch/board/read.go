package board

import (
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Read copies the rank's published state to r. It is for readers. The caller sets r.Doing: a board holds only waits.
//
//go:norace
func (b *Board) Read(r *state.Rank) {
	r.Counters, r.Memory = b.counters, b.memory
	r.Call = b.call.asCall()
	b.wait.tell(r)
	r.Seconds.Epochs = b.epochs.Seconds()
	if d := b.details.Load(); d != nil {
		r.Links, r.Targets, r.Tasks = d.Links, d.Targets, d.Tasks
	}
	if text := b.status.Load(); text != nil {
		r.Status = *text
	}
	r.Moved = b.Moved()
}

// Moved grows with the rank's progress, and with the status messages of the application. It is for readers.
//
//go:norace
func (b *Board) Moved() uint64 {
	moved := b.moved + 2*b.call.number + b.told.Load()
	if b.call.end != 0 {
		moved++
	}
	return moved
}

// tell describes a rank's wait.
func (w waiting) tell(r *state.Rank) {
	r.For = -1
	if w.Wait == Nothing {
		return
	}
	r.Wait = w.String()
	if w.call != 0 {
		r.Wait += ", in " + w.call.String()
	}
	if w.target != 0 {
		r.Target, r.For = w.target.String(), int(w.rank)
	}
}

// WaitsFor returns the reason of the rank's wait. It is for readers.
//
//go:norace
func (b *Board) WaitsFor() Wait { return b.wait.Wait }

// Last returns at most n of the latest events that the board still has, oldest first. It is for readers.
//
//go:norace
func (b *Board) Last(n int) (all []state.Event) {
	next := b.head.Load()
	var kept [Events]event
	copy(kept[:], b.events[:])
	from := next - min(next, uint64(n), Events)
	if after := b.head.Load(); after > Events { // later events have overwritten the oldest
		from = max(from, after-Events+1)
	}
	for ; from < next; from++ {
		all = append(all, kept[from%Events].inWords())
	}
	return all
}

func (e *event) inWords() state.Event {
	w := state.Event{At: e.at.Seconds(), End: e.end.Seconds(), Number: e.number,
		Kind: e.kind.String(), Site: e.site.String(), Team: e.team.String()}
	switch e.kind {
	case Parked:
		w.Name = Wait(e.name).String()
	default:
		w.Name, w.Number = e.name.String(), uint64(e.turn)
	}
	return w
}

func (e *event) asCall() state.Call {
	if e.kind < Epoch {
		return state.Call{}
	}
	return state.Call{Number: uint64(e.turn), Kind: e.kind.String(), Name: e.name.String(), Site: e.site.String(),
		Team: e.team.String(), Open: e.end == 0}
}
