package sim

import "fmt"

// loop gives turns until all ranks have ended. A rank that ends by runtime.Goexit also ends the goroutine that resumed
// it; another goroutine then continues.
func (w *World) loop() {
	ended := false
	defer func() {
		if !ended {
			w.mu.Lock()
			w.remove(w.running)
			w.mu.Unlock()
			go w.loop()
		}
	}()
	w.mu.Lock()
	for w.alive > 0 {
		w.advance()
		w.sweep()
	}
	w.clear()
	w.mu.Unlock()
	w.sweepAll()
	ended = true
	close(w.done)
}

// advance runs the next event or rank. The world is locked.
func (w *World) advance() {
	w.progress.Add(1)
	w.stats.Turns++
	at := w.queue.first()
	switch {
	case len(w.agenda.heap) > 0 && w.agenda.heap[0].at <= at:
		e := w.agenda.pop()
		w.now = e.at
		w.unlocked(e.do)
	case at == never:
		w.stall()
	default:
		rank, at := w.queue.pop()
		w.step(&w.ranks[rank], at)
	}
	w.limit()
}

// limit ends a job that has exceeded a limit. The world is locked.
func (w *World) limit() {
	c := &w.config
	switch {
	case w.stats.Turns == c.TurnLimit:
		w.unlocked(func() { w.failAll(&LimitError{"turns", fmt.Sprint(c.TurnLimit)}) })
	case c.TimeLimit > 0 && w.now > instantOf(c.TimeLimit):
		limit := c.TimeLimit
		c.TimeLimit = 0
		w.unlocked(func() { w.failAll(&LimitError{"virtual time", limit.String()}) })
	}
}

// step runs a rank until it ends its turn. The world is locked.
func (w *World) step(r *rank, at instant) {
	if r.frozen > at {
		w.cores.release(r)
		w.queue.push(r.frozen, r.tie)
		return
	}
	w.now = at
	r.clock = max(r.clock, at)
	if !w.cores.acquire(r) {
		return
	}
	w.running = r
	alive := false
	w.unlocked(func() { _, alive = r.resume() })
	if !alive {
		r.sendAllAcks()
	}
	w.running = nil
	if alive {
		w.queue.push(r.due(), r.tie)
	} else {
		w.remove(r)
	}
}

// remove removes a rank that has returned. The world is locked.
func (w *World) remove(r *rank) {
	w.running = nil
	w.cores.release(r)
	r.ended = true
	w.alive--
	if r.process.dead {
		w.dead--
	}
	if r.process.ranks--; r.process.ranks == 0 {
		r.process.down = true
	}
}

// horizon returns the limit of the running rank's clock: no unknown frame can arrive before it.
func (w *World) horizon() instant {
	limit := w.queue.first() + w.charges.ahead
	if len(w.agenda.heap) > 0 {
		limit = min(limit, w.agenda.heap[0].at)
	}
	return limit
}

// time returns the running rank's clock, or the time of the event.
func (w *World) time() instant {
	if w.running != nil {
		return max(w.now, w.running.clock)
	}
	return w.now
}

// stall handles a world with nothing in flight. It ends dead processes if no other rank is left. Otherwise the waiting
// ranks hang. The world is locked.
func (w *World) stall() {
	switch {
	case w.dead > 0 && w.dead == w.alive:
		w.faults.endDead()
	case !w.stalled:
		w.stalled = true
		err := w.hang()
		w.unlocked(func() { w.failAll(err) })
	default: // the failure is reported; only a goroutine outside the world can make the ranks continue
		w.unlocked(func() { <-w.outside })
	}
}

// resumeStalled wakes a stalled world after a call from outside. The world is locked.
func (w *World) resumeStalled() {
	select {
	case w.outside <- struct{}{}:
	default:
	}
}

func (w *World) hang() error {
	e := &HangError{At: w.now.duration(), Ranks: w.alive}
	for i := range w.ranks {
		if r := &w.ranks[i]; !r.ended && len(e.Waiting) < 8 {
			e.Waiting = append(e.Waiting, r.id)
		}
	}
	return e
}

// failAll ends the job on all processes.
func (w *World) failAll(err error) {
	w.mu.Lock()
	w.aborted = true
	w.mu.Unlock()
	for _, p := range w.processes {
		p.fail(err)
	}
}

func (w *World) unlocked(do func()) {
	w.mu.Unlock()
	do()
	w.mu.Lock()
}

// sweep releases frames for ranks that have ended. The world is locked.
func (w *World) sweep() {
	if !w.unreleased.Empty() {
		w.unlocked(w.sweepAll)
	}
}

func (w *World) sweepAll() {
	w.mu.Lock()
	all := w.unreleased.Move()
	w.mu.Unlock()
	all.Release()
}

// clear releases all frames in flight after the job's end. The world is locked.
func (w *World) clear() {
	for i := range w.ranks {
		w.ranks[i].clear()
	}
	for f := w.faults.lost.Shift(); f != nil; f = w.faults.lost.Shift() {
		w.unreleased.Push(f)
	}
}
