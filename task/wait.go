package task

// Task is one task of this rank, for [Scheduler.Wake].
type Task struct {
	w      *worker
	number uint64
}

// Self returns the calling task.
func (s *Scheduler) Self() Task {
	w := s.caller("Self")
	return Task{w, w.task}
}

// Suspend makes the calling task wait until Wake is called for it. If that has happened since its last Suspend, it
// returns at once: a wake-up is never lost (Grappa, figure 2).
func (s *Scheduler) Suspend() {
	w := s.caller("Suspend")
	if !w.permit {
		w.suspended = true
		w.wait("Suspend")
	}
	w.permit = false
}

// Wake wakes a task that waits in Suspend, or lets its next Suspend return at once: several calls count as one. For a
// task that has ended it does nothing. It may be called in an epoch's body, by handlers and by tasks.
func (s *Scheduler) Wake(t Task) {
	s.engine.Tasks.CheckSpawn("Wake was called")
	switch {
	case t.w == nil || t.w.s != s:
		s.engine.Misuse("task", "Wake of no task of this rank: wake what Self has returned here")
	case t.w.task != t.number:
		return
	}
	t.w.permit = true
	if t.w.suspended {
		t.w.suspended = false
		t.w.wake()
	}
}

// Gate makes tasks of one rank wait until it is opened.
type Gate struct {
	s       *Scheduler
	open    bool
	waiting []*worker
}

// NewGate makes a closed gate.
func (s *Scheduler) NewGate() *Gate { return &Gate{s: s} }

// Wait makes the calling task wait until the gate is open.
func (g *Gate) Wait() {
	w := g.s.caller("Gate.Wait")
	if !g.open {
		g.waiting = append(g.waiting, w)
		w.wait("Gate.Wait")
	}
}

// Open wakes all tasks at the gate, and lets all later ones pass. It may be called wherever the rank runs.
func (g *Gate) Open() {
	g.s.engine.InTask("Gate.Open") // checks the calling goroutine
	g.open = true
	for _, w := range g.waiting {
		w.wake()
	}
	g.waiting = nil
}
