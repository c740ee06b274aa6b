package watch

import (
	"time"

	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// sampleEvery is the time between two samples of the activity of ranks, if an outlet shows it.
const (
	sampleEvery     = 50 * time.Millisecond
	samplesPerDrain = 5 // of the trace
)

// sample adds the time since the last sample to the current activity of each rank.
func (w *Watcher) sample() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.ranks {
		doing, wait := w.sight.Doing(w.place.First + i)
		if at := w.ranks[i].seconds(doing, wait); at != nil {
			*at += sampleEvery.Seconds()
		}
	}
}

// seconds returns the sum for an activity, or nil if its time is not counted.
func (p *progress) seconds(doing state.Doing, wait board.Wait) *float64 {
	switch doing {
	case state.Computing, state.Tasking, state.Moving:
		return &p.spent.Compute
	case state.Handling:
		return &p.spent.Handle
	case state.Waiting:
		switch wait {
		case board.ForCredit, board.ForRoom:
			return &p.spent.Credit
		case board.ForOneSided:
			return &p.spent.Served
		}
		return &p.spent.Idle
	}
	return nil
}
