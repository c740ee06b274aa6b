package task

// Task is one task of this rank, for [Scheduler.Wake].
type Task struct {
	w      *worker
	number uint64
}

// Self is the task that calls.
func (s *Scheduler) Self() Task {
	w := s.caller("Self")
	return Task{w, w.task}
}

// Suspend lets the task that calls wait until Wake is called for it. If that has happened since its last Suspend, it
// goes on at once: a wake-up is never lost (Grappa, figure 2).
func (s *Scheduler) Suspend() {
	w := s.caller("Suspend")
	if !w.permit {
		w.suspended = true
		w.wait("Suspend")
	}
	w.permit = false
}

// Wake lets a task go on that waits in Suspend, or that will: several times as once. For a task that has ended it does
// nothing. It may be called in an epoch's body, by handlers and by tasks.
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

// Gate is what tasks of one rank wait at until it is opened.
type Gate struct {
	s       *Scheduler
	open    bool
	waiting []*worker
}

// NewGate makes a gate, which is closed.
func (s *Scheduler) NewGate() *Gate { return &Gate{s: s} }

// Wait lets the task that calls wait until the gate is open.
func (g *Gate) Wait() {
	w := g.s.caller("Gate.Wait")
	if !g.open {
		g.waiting = append(g.waiting, w)
		w.wait("Gate.Wait")
	}
}

// Open lets all tasks go on that wait, and all that come. It may be called wherever the rank runs.
func (g *Gate) Open() {
	g.s.engine.InTask("Gate.Open") // which checks who calls
	g.open = true
	for _, w := range g.waiting {
		w.wake()
	}
	g.waiting = nil
}
