package board

import (
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Read tells what the rank has published, in words. It is for readers. What the rank is doing is for the caller to say:
// a board knows of waits alone.
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

// Moved grows with whatever the rank brings forward, and with what the application says. It is for readers.
//
//go:norace
func (b *Board) Moved() uint64 {
	moved := b.moved + 2*b.call.number + b.told.Load()
	if b.call.end != 0 {
		moved++
	}
	return moved
}

// tell says in words what a rank waits for.
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

// WaitsFor is what the rank waits for. It is for readers.
//
//go:norace
func (b *Board) WaitsFor() Wait { return b.wait.Wait }

// Last are the last events, at most so many of those that the board still has, the oldest first. It is for readers.
//
//go:norace
func (b *Board) Last(n int) (all []state.Event) {
	next := b.head.Load()
	var kept [Events]event
	copy(kept[:], b.events[:])
	from := next - min(next, uint64(n), Events)
	if after := b.head.Load(); after > Events { // what was written meanwhile has taken the place of the oldest
		from = max(from, after-Events+1)
	}
	for ; from < next; from++ {
		all = append(all, kept[from%Events].inWords())
	}
	return all
}

func (e *event) inWords() state.Event {
	w := state.Event{At: e.at.Seconds(), End: e.end.Seconds(), Number: e.number,
		Kind: e.kind.String(), Site: e.site.String()}
	switch e.kind {
	case Parked:
		w.Name = Wait(e.name).String()
	default:
		w.Name = e.name.String()
	}
	return w
}

func (e *event) asCall() state.Call {
	if e.kind < Epoch {
		return state.Call{}
	}
	return state.Call{Number: e.number, Kind: e.kind.String(), Name: e.name.String(), Site: e.site.String(),
		Open: e.end == 0}
}
