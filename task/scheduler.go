package task

import (
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
)

// Scheduler runs the tasks of one rank, one at a time. Its methods are for that rank: for its main function, its
// handlers and its tasks, as documented for each.
type Scheduler struct {
	rank    *pebble.Rank
	engine  *engine.Rank
	most    int // workers
	linger  time.Duration
	workers []*worker // all
	idle    []*worker // those without a task
	current *worker   // last one resumed
	ready   ring[*worker]
	fresh   ring[own]
	rooms   []room
	room    int   // index in rooms to check first
	full    bool  // no room was free at the last check, and no frame has left since
	picks   uint  // of workers to run next
	burst   burst // in progress
	waiting int   // tasks that have begun and wait
	stirred bool  // a task has begun or was woken since the last burst
	kinds   []kind
	queued  int     // tasks of kinds that have not begun
	thief   *thief  // nil without kinds, or without other ranks
	groups  *groups // nil without kinds for groups
	running bool    // Run is in progress: idle ranks steal
	counts  Counts
}

// own is a task of this rank that has not begun.
type own struct {
	run func()
	of  *Group // nil for none
}

// Counts counts the work of one rank's scheduler since it was made.
type Counts struct {
	Tasks    uint64 `json:"tasks"`    // that have begun
	Switches uint64 `json:"switches"` // from the rank to a task, and back
	Workers  uint64 `json:"workers"`  // most tasks that had begun and not ended at one time, as workers are kept
	Stolen   uint64 `json:"stolen"`   // tasks from ranks that had more
}

const (
	// WorkersDefault is the default limit on tasks of a rank that have begun at a time. Grappa was fastest with 1,536
	// to 3,072 (section 8.3, figure 13).
	WorkersDefault = 2048

	freshEach = 16                    // one pick in this number is a new task, also while others are ready
	perSwitch = 100 * time.Nanosecond // in simulated time: to a task and back, as measured
	perWorker = 3 << 10               // bytes of a task that waits in a function or two
)

// Option is a setting of a scheduler.
type Option interface{ apply(*Scheduler) }

type option func(*Scheduler)

func (o option) apply(s *Scheduler) { o(s) }

// Workers sets the limit on tasks of a rank that have begun at a time. Each takes about 3 KiB until the rank's function
// returns, and more if it waits deep in calls. With some thousands, switches miss caches.
func Workers(most int) Option { return option(func(s *Scheduler) { s.most = most }) }

// Linger sets the time during which an idle rank holds its buffers while its tasks wait, so that tasks that wake
// meanwhile fill them. The default is 0. It pays if messages are costly and latency is long, up to the time of a
// message, and costs that time if there are few tasks (Grappa, section 8.3, figure 12).
func Linger(most time.Duration) Option { return option(func(s *Scheduler) { s.linger = most }) }

// New makes a rank's scheduler. It is called once, between epochs, on ranks that run tasks.
func New(r *pebble.Rank, options ...Option) *Scheduler {
	s := &Scheduler{rank: r, engine: r.Inside(frame.Access{}), most: WorkersDefault, burst: burst{step: 1}}
	for _, o := range options {
		o.apply(s)
	}
	if s.most < 1 {
		s.engine.Misuse("task", "%d workers: a scheduler needs at least one, on which tasks run", s.most)
	}
	s.engine.Tasks.Set(tasks{s})
	return s
}

// Run runs an epoch whose body spawns one task, or none if root is nil. It returns when all tasks of all ranks have
// ended and every pebble that they sent has been handled. Tasks may also be spawned in the body of any other epoch that
// declares no depth; they begin when the body has returned. Options are those of pebble.Rank.Epoch.
func (s *Scheduler) Run(root func(), options ...pebble.EpochOption) error {
	s.running = true
	defer func() { s.running = false }()
	return s.rank.Epoch(func() error {
		if root != nil {
			s.Go(root)
		}
		return nil
	}, options...)
}

// Go spawns a task that runs on this rank. Tasks that have not begun wait in a queue, the oldest first (Grappa, section
// 4.2: the private queue). Go may be called in an epoch's body, by handlers and by tasks.
func (s *Scheduler) Go(run func()) {
	s.engine.Tasks.CheckSpawn("Go was called")
	s.fresh.push(own{run: run})
}

// Yield lets other ready tasks and handlers run first, and now and then a task that has not begun (Grappa, figure 2).
func (s *Scheduler) Yield() {
	w := s.caller("Yield")
	s.ready.push(w)
	w.pause()
}

// Counts returns the counts so far.
func (s *Scheduler) Counts() Counts {
	c := s.counts
	c.Workers = uint64(len(s.workers))
	return c
}

// caller returns the worker of the calling task. It ends the job if the caller is no task.
func (s *Scheduler) caller(call string) *worker {
	if !s.engine.InTask(call) {
		s.engine.Misuse("task", "%s was called outside of a task: only a task can wait, and no handler or answer can", call)
	}
	return s.current
}

// tasks is the scheduler's interface for the engine.
type tasks struct{ *Scheduler }

var _ engine.Tasks = tasks{}

// Work implements engine.Tasks.
func (s tasks) Work() (worked, left bool) {
	before := s.counts.Switches
	s.full = false
	s.burst.begin(s.engine)
	for ; s.burst.goesOn(s.engine); s.burst.left-- {
		w := s.next()
		if w == nil {
			s.burst.look(s.engine)
			break
		}
		s.resume(w)
	}
	if s.thief != nil {
		s.thief.share()
	}
	switches := s.counts.Switches - before
	if switches == 0 {
		return s.thief != nil && s.hungry() && s.thief.seek(), len(s.rooms) > 0
	}
	s.engine.Compute(perSwitch * time.Duration(switches))
	if !s.stirred { // tasks that only yield may wait for pebbles in this rank's buffers
		s.engine.Targets.Flush(coalesce.Idle, coalesce.AllStages)
	}
	s.stirred = false
	return true, true
}

// hungry reports whether this rank should look for tasks elsewhere.
func (s *Scheduler) hungry() bool { return s.running && (len(s.idle) > 0 || len(s.workers) < s.most) }

// next returns the worker to go on: one whose send has room, one that is ready, or one for a task that has not begun.
// These come last, and now and then first: a task that yields until another has acted must not keep that one from
// beginning.
func (s *Scheduler) next() *worker {
	if len(s.rooms) > 0 && !s.full {
		if w := s.roomy(); w != nil {
			return w
		}
	}
	s.picks++
	if s.ready.size > 0 && (s.picks%freshEach != 0 || !s.mayBegin()) {
		if len(s.workers) >= prefetchFrom {
			s.prefetch()
		}
		return s.ready.pop()
	}
	if !s.mayBegin() {
		return nil
	}
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return w
	}
	return s.newWorker()
}

// mayBegin reports whether there is a task that has not begun, and a worker for it.
func (s *Scheduler) mayBegin() bool {
	return s.fresh.size+s.queued > 0 && (len(s.idle) > 0 || len(s.workers) < s.most)
}

// resume runs a worker until it waits.
func (s *Scheduler) resume(w *worker) {
	s.counts.Switches++
	backlog := s.engine.Sender.Backlog
	s.current = w
	before := s.engine.Tasks.Begin(w.goroutine)
	_, alive := w.resume()
	s.engine.Tasks.End(before)
	if !alive {
		s.engine.Check() // the worker found that the job has failed
	}
	if s.engine.Sender.Backlog > backlog {
		s.engine.Tasks.Pump() // sends the frames that it has filled
		s.full = false
	}
}

// begin runs the next task that has not begun, on the calling worker, and reports whether there was one.
func (s *Scheduler) begin() bool {
	if s.fresh.size+s.queued == 0 {
		return false
	}
	s.burst.left--
	s.counts.Tasks++
	s.stirred = true
	if s.fresh.size == 0 {
		s.beginQueued()
		return true
	}
	t := s.fresh.pop()
	t.run()
	if t.of != nil {
		t.of.ended()
	}
	return true
}

// beginQueued runs the next task of the last kind that has any.
func (s *Scheduler) beginQueued() {
	for i := len(s.kinds) - 1; i >= 0; i-- {
		if s.kinds[i].begin() {
			return
		}
	}
}

// Complete implements engine.Tasks.
func (s tasks) Complete() error {
	if s.thief != nil {
		s.thief.forget()
	}
	if s.waiting == 0 && s.fresh.size+s.queued == 0 {
		return nil
	}
	e := &WaitError{Waiting: s.waiting, NotBegun: s.fresh.size + s.queued, Workers: s.most}
	for _, w := range s.workers {
		if w.waits != "" {
			e.Call = w.waits
			break
		}
	}
	return e
}

// HoldBuffers implements engine.Tasks.
func (s tasks) HoldBuffers() time.Duration {
	if s.waiting == 0 {
		return 0
	}
	return s.linger
}

// End implements engine.Tasks. Deferred functions of tasks may panic, or leave their goroutine: the others unwind
// nevertheless.
func (s tasks) End() {
	defer func() {
		if len(s.workers) > 0 {
			s.End()
		}
	}()
	for n := len(s.workers); n > 0; n = len(s.workers) {
		w := s.workers[n-1]
		s.workers = s.workers[:n-1]
		s.unwind(w)
	}
	s.workers, s.idle, s.current = nil, nil, nil
	s.ready, s.fresh, s.rooms, s.waiting = ring[*worker]{}, ring[own]{}, nil, 0
}

func (s *Scheduler) unwind(w *worker) {
	defer func() { _ = recover() }() // the job has failed, and for another cause
	before := s.engine.Tasks.Begin(w.goroutine)
	defer s.engine.Tasks.Begin(before)
	defer s.engine.Tasks.Unwound()
	s.current = w
	w.stop()
}

// Describe implements engine.Tasks.
func (s tasks) Describe() string {
	return fmt.Sprintf("tasks of a rank: at most %d that have begun, each a coroutine of about %d bytes: %d bytes",
		s.most, perWorker, s.most*perWorker)
}
