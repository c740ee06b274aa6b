package pebble

import "github.com/activepebbles/pebbles/termination"

// Epoch runs f, and returns when every pebble that any rank sent in this epoch, and every pebble those caused, has been
// handled everywhere (Active Pebbles, section 3.6). All ranks call Epoch the same number of times, each with a function of
// its own. Handlers of this rank run inside the sends of f and after f has returned, never outside of Epoch.
//
// An error of f, or any other failure of the job, makes Epoch return an error on every rank. Targets that were registered
// since the last epoch are compared across ranks first; a difference is a [RegistrationError].
//
// An epoch costs at least two all-reductions of 16 bytes.
func (r *Rank) Epoch(f func() error) error {
	if r.mode != outside {
		misuse("rank %d: Epoch was called inside an epoch: epochs do not nest", r.id)
	}
	return r.guard(func() error {
		if err := r.agree(); err != nil {
			return err
		}
		r.begin()
		if err := f(); err != nil {
			r.fail(&rankError{r.id, err})
		}
		r.quiesce()
		r.end()
		return nil
	})
}

func (r *Rank) begin() {
	r.check()
	r.epoch++
	r.mode = body
	r.detector.Begin()
	r.ready, r.later = r.later, nil
}

// quiesce waits for the end of the epoch. What is left in buffers leaves when there is nothing else to do, and not before
// others have had a turn: they may be about to send more.
func (r *Rank) quiesce() {
	for idle := 0; ; idle++ {
		if r.turn() {
			idle = 0
		}
		if idle == 0 {
			r.rest(idle)
			continue
		}
		if r.flush(Idle) {
			idle = 0
			continue
		}
		if r.detector.Step(&r.networks[quiescence], true, termination.Counts{Created: r.created, Processed: r.processed}) {
			return
		}
		r.rest(idle)
	}
}

func (r *Rank) end() {
	for _, e := range r.endpoints {
		e.EndEpoch()
	}
	r.mode = outside
	r.counters.Epochs++
	r.counters.Rounds = r.detector.Rounds()
}
