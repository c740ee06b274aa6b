package worlds

import (
	"fmt"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// tasking configures the tasks of the program.
type tasking struct {
	Tasks   int // maximum number that a rank spawns at the beginning of an epoch; 0: no tasks in this world
	Workers int // of a rank
	Ops     int // maximum number of steps of a task
	Steal   int // 1: idle ranks take tasks of others
	Linger  int // nanoseconds
}

func (d drawn) tasks(w *World) {
	w.Tasks = 1 + d.small(20)
	w.Workers = one(d, 1, 2, 5, 100)
	w.Ops = d.small(8)
	w.Steal = d.IntN(2)
	w.Linger = one(d, 0, 0, 1000, 30_000)
	w.Declared = 0
}

func (t tasking) check(declared bool) error {
	if t.Tasks > 0 && (t.Workers < 1 || declared) {
		return fmt.Errorf("worlds: %d tasks, %d workers, declared=%t: tasks need a worker, and epochs that declare nothing",
			t.Tasks, t.Workers, declared)
	}
	return nil
}

// job is a task. Its identity determines its work.
type job struct {
	ID   uint64
	Left uint32 // generations of tasks that it may spawn
}

// action is one step of a task.
type action int

const (
	drawAction  action = iota // draws a ticket and waits for it
	drawAll                   // draws several and waits once
	startAction               // draws one, yields, and then waits
	noteAction                // adds to a sum without waiting
	swapAction                // adds one by compare-and-swap
	yieldAction               // yields
	echoAction                // waits for a pebble's return
	echoLate                  // the same after yielding, so that the pebble may have returned
	sendAction                // sends a pebble whose handler sends on
	loopAction                // draws in a loop whose pieces run concurrently
	actions
)

// jobs returns the tasks that a rank spawns at the beginning of an epoch.
func (w *World) jobs(rank, epoch int) []job {
	seed := mix(mix(w.Seed, uint64(rank)), uint64(epoch))
	all := make([]job, mix(seed, 6)%uint64(w.Tasks+1))
	for i := range all {
		all[i] = job{mix(seed, uint64(500_000+i)), uint32(w.Depth - 1)}
	}
	return all
}

// spawned calls spawn for the tasks that a task spawns.
func (w *World) spawned(j job, spawn func(job)) {
	if j.Left == 0 {
		return
	}
	for i := range mix(j.ID, 7) % uint64(w.Fan+1) {
		spawn(job{mix(j.ID, 700_000+i), j.Left - 1})
	}
}

// steps calls do for the steps of a task, in order: with an action, a number that determines its arguments, and a
// number of repetitions if the action repeats.
func (w *World) steps(j job, do func(a action, number uint64, times int)) {
	for i := range mix(j.ID, 10) % uint64(w.Ops+1) {
		number := mix(j.ID, 800_000+i)
		do(action(mix(number, 11)%uint64(actions)), number, int(mix(number, 12)%5))
	}
}

func (w *World) keyOf(number uint64) uint64 { return mix(number, 3) % uint64(w.Keys) }

// ledger sums the work of tasks, on one rank or on all.
type ledger struct {
	Tasks, Identities uint64 // number of tasks that have run, and the sum of their identities
	Tickets           []draws
	Notes, Swaps      []uint64 // by key
}

// draws is tickets that were drawn: their number, sum, and sum of squares.
type draws struct{ Count, Sum, Squares uint64 }

func newLedger(keys int) *ledger {
	return &ledger{Tickets: make([]draws, keys), Notes: make([]uint64, keys), Swaps: make([]uint64, keys)}
}

func (l *ledger) clone() *ledger {
	c := *l
	c.Tickets, c.Notes, c.Swaps = slices.Clone(l.Tickets), slices.Clone(l.Notes), slices.Clone(l.Swaps)
	return &c
}

func (l *ledger) add(o *ledger) {
	l.Tasks, l.Identities = l.Tasks+o.Tasks, l.Identities+o.Identities
	for key := range l.Tickets {
		at, from := &l.Tickets[key], o.Tickets[key]
		at.Count, at.Sum, at.Squares = at.Count+from.Count, at.Sum+from.Sum, at.Squares+from.Squares
		l.Notes[key] += o.Notes[key]
		l.Swaps[key] += o.Swaps[key]
	}
}

func (l *ledger) ran(j job) { l.Tasks, l.Identities = l.Tasks+1, l.Identities+j.ID }

func (l *ledger) ticket(key, number uint64) {
	at := &l.Tickets[key]
	at.Count, at.Sum, at.Squares = at.Count+1, at.Sum+number, at.Squares+number*number
}

// differs returns an error if the ledger of all ranks differs from the twin's. The tickets of a key are 0, 1, 2 …, each
// drawn once, if these sums match.
func (l *ledger) differs(want *ledger) error {
	if l.Tasks != want.Tasks || l.Identities != want.Identities {
		return fmt.Errorf("%d tasks have run, of %d; or not each once", l.Tasks, want.Tasks)
	}
	for key := range l.Tickets {
		n := want.Tickets[key].Count
		all := draws{Count: n}
		if n > 0 {
			all.Sum, all.Squares = n*(n-1)/2, (n-1)*n*(2*n-1)/6
		}
		if l.Tickets[key] != all {
			return fmt.Errorf("tickets of key %d: number, sum and sum of squares are %d, not %d", key, l.Tickets[key], all)
		}
		if l.Notes[key] != want.Notes[key] || l.Swaps[key] != want.Swaps[key] {
			return fmt.Errorf("key %d has %d notes and %d swaps, not %d and %d", key, l.Notes[key], l.Swaps[key],
				want.Notes[key], want.Swaps[key])
		}
	}
	return nil
}

// runAsTwin records the work of a task and of the tasks that it spawns, and calls send for their pebbles.
func (w *World) runAsTwin(j job, l *ledger, send func(addressed)) {
	l.ran(j)
	w.steps(j, func(a action, number uint64, times int) {
		key := w.keyOf(number)
		switch a {
		case drawAction, startAction:
			l.Tickets[key].Count++
		case drawAll, loopAction:
			for i := range times {
				l.Tickets[w.keyOf(number+uint64(i))].Count++
			}
		case noteAction:
			l.Notes[key] += number
		case swapAction:
			l.Swaps[key]++
		case sendAction:
			send(w.make(number, int(j.Left)))
		}
	})
	w.spawned(j, func(child job) { w.runAsTwin(child, l, send) })
}

// swap is a compare-and-swap of the word of a key.
type swap struct{ Key, Old, New uint64 }

// swapped is the answer: the previous word.
type swapped struct{ Old uint64 }

// echo is a pebble that goes to a key and back, and wakes a task.
type echo struct {
	Key    uint32
	From   uint32
	Number uint32
	Back   uint32 // 1: it is on its way back
}

// tasks is the part of the program that runs tasks.
type tasks struct {
	program *program
	*ledger
	scheduler *task.Scheduler
	kind      *task.Kind[job]
	owner     distribution.Map
	draw      *delegate.Delegate[uint64, uint64]
	note      *delegate.Delegate[swap, struct{}]
	swap      *delegate.Delegate[swap, swapped]
	there     *target.Target[echo]
	back      *target.Target[echo]
	next      []uint64    // next tickets of the keys that this rank owns
	words     []uint64    // of compare-and-swap
	sleepers  []task.Task // by number of an echo
}

// openTasks registers the targets of tasks, if the world has any.
func (p *program) openTasks(owner distribution.Map) {
	if p.Tasks == 0 {
		return
	}
	r, w := p.rank, p.World
	t := &tasks{program: p, ledger: newLedger(w.Keys), owner: owner, next: make([]uint64, w.Keys),
		words: make([]uint64, w.Keys)}
	p.tasks = t
	t.scheduler = task.New(r, task.Workers(w.Workers), task.Linger(time.Duration(w.Linger)))
	s := t.scheduler
	itself := func(key uint64) uint64 { return key }
	t.draw = delegate.NewBatch(s, "draw", owner, itself, func(keys, numbers []uint64) {
		for i, key := range keys {
			numbers[i] = t.next[key]
			t.next[key]++
		}
	})
	keyOfSwap := func(q swap) uint64 { return q.Key }
	t.note = delegate.New(s, "note", owner, keyOfSwap, func(q swap) struct{} {
		t.Notes[q.Key] += q.New
		return struct{}{}
	})
	t.swap = delegate.New(s, "swap", owner, keyOfSwap, func(q swap) swapped {
		old := t.words[q.Key]
		if old == q.Old {
			t.words[q.Key] = q.New
			t.Swaps[q.Key]++
		}
		return swapped{old}
	})
	t.there = target.New(r, "there", owner, target.Key(func(e echo) uint64 { return uint64(e.Key) }),
		target.Each(func(e echo) {
			e.Back = 1
			t.back.Send(e)
		}))
	t.back = target.New(r, "back", distribution.Ranks(r.Size()), target.Key(func(e echo) uint64 { return uint64(e.From) }),
		target.Each(func(e echo) { s.Wake(t.sleepers[e.Number]) }))
	if w.Batch > 1 {
		t.kind = task.NewKindBatch(s, "jobs", w.Batch, func(js []job) {
			for _, j := range slices.Clone(js) {
				t.run(j)
			}
		})
	} else {
		t.kind = task.NewKind(s, "jobs", t.run)
	}
}

// begin spawns the initial tasks of a rank in an epoch.
func (t *tasks) begin(epoch int) {
	for _, j := range t.program.jobs(t.program.rank.ID(), epoch) {
		t.spawn(j)
	}
}

func (t *tasks) spawn(j job) {
	switch mix(j.ID, 13) % 4 {
	case 0:
		t.scheduler.Go(func() { t.run(j) })
	case 1:
		t.kind.SpawnOn(int(mix(j.ID, 14)%uint64(t.program.Ranks)), j)
	case 2:
		t.kind.SpawnAt(t.owner, t.program.keyOf(j.ID), j)
	default:
		t.kind.Spawn(j)
	}
}

func (t *tasks) run(j job) {
	t.ran(j)
	t.program.spawned(j, t.spawn)
	drawn := map[uint64]uint64{} // the last ticket that this task has of a key, plus one
	t.program.steps(j, func(a action, number uint64, times int) {
		key := t.program.keyOf(number)
		switch a {
		case drawAction:
			n := t.draw.Call(key)
			if n < drawn[key] {
				panic(fmt.Sprintf("a task draws ticket %d of key %d after %d", n, key, drawn[key]-1))
			}
			drawn[key] = n + 1
			t.ticket(key, n)
		case drawAll:
			keys, numbers := make([]uint64, times), make([]uint64, times)
			for i := range keys {
				keys[i] = t.program.keyOf(number + uint64(i))
			}
			t.draw.CallAll(keys, numbers)
			for i, key := range keys {
				t.ticket(key, numbers[i])
			}
		case startAction:
			f := t.draw.Start(key)
			t.scheduler.Yield()
			t.ticket(key, f.Wait())
		case noteAction:
			t.note.Do(swap{Key: key, New: number})
		case swapAction:
			t.increment(key)
		case yieldAction:
			t.scheduler.Yield()
		case echoAction, echoLate:
			t.echo(uint32(key), a == echoLate)
		case sendAction:
			a := t.program.make(number, int(j.Left))
			t.program.targets[a.target].Send(a.message)
		case loopAction:
			t.scheduler.For(0, uint64(times), 1, func(i, _ uint64) {
				key := t.program.keyOf(number + i)
				t.ticket(key, t.draw.Call(key))
			})
		}
	})
}

// increment increments the word of a key.
func (t *tasks) increment(key uint64) {
	for old := uint64(0); ; {
		was := t.swap.Call(swap{key, old, old + 1}).Old
		if was == old {
			return
		}
		old = was
	}
}

// echo sends a pebble to a key, and waits for its return.
func (t *tasks) echo(key uint32, late bool) {
	number := uint32(len(t.sleepers))
	t.sleepers = append(t.sleepers, t.scheduler.Self())
	t.there.Send(echo{Key: key, From: uint32(t.program.rank.ID()), Number: number})
	if late {
		for range 3 {
			t.scheduler.Yield()
		}
	}
	t.scheduler.Suspend()
}

// inTask reports whether a task does the rest of the main function's work, in epochs with idle ranks that take tasks
// from others.
func (p *program) inTask() bool { return p.tasks != nil && p.Steal == 1 }

// runEpoch runs an epoch with its tasks.
func (p *program) runEpoch(body func() error, epoch int, options []pebble.EpochOption) error {
	if p.tasks == nil {
		return p.rank.Epoch(body, options...)
	}
	if !p.inTask() {
		return p.rank.Epoch(func() error {
			p.tasks.begin(epoch)
			return body()
		}, options...)
	}
	var err error
	failed := p.tasks.scheduler.Run(func() {
		p.tasks.begin(epoch)
		err = body()
	}, options...)
	if failed != nil {
		return failed
	}
	return err
}
