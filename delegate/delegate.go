package delegate

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Delegate is an operation: questions of type Q are answered by values of type A at the rank that owns their keys. Both are plain data.
// Its methods are for its rank's tasks, and for its main function in an epoch's body.
type Delegate[Q, A any] struct {
	*answers[A]
	self    int
	here    distribution.Map // answers at once where it says this rank; nil where keys move
	key     func(q Q) uint64
	answer  func(q Q) A
	asks    *target.Target[question[Q]]
	asking  *engine.Target // of asks
	replies *target.Target[reply[A]]
	back    []reply[A] // of the batch that is being answered
}

type question[Q any] struct {
	Q    Q
	From address
}

type reply[A any] struct {
	A  A
	To address
}

// New registers an operation, by the rules of target.New: on all ranks, in the same order, between epochs. key gives the key of a question;
// answer is called at its owner. Options are those of targets; of them Coalesce and Route apply.
func New[Q, A any](s *task.Scheduler, name string, owner distribution.Map, key func(q Q) uint64, answer func(q Q) A,
	options ...target.Option) *Delegate[Q, A] {
	r := s.Rank()
	d := &Delegate[Q, A]{
		answers: &answers[A]{tasks: s, engine: r.Engine(engine.Key{}), name: name},
		self:    r.ID(), key: key, answer: answer,
	}
	if _, moving := owner.(interface{ Move(key uint64, to int) }); !moving {
		d.here = owner
	}
	d.asks = target.New(r, name, owner, target.Keys(func(qs []question[Q], keys []uint64) {
		for i := range qs {
			keys[i] = key(qs[i].Q)
		}
	}), target.Batch(d.serve), options...)
	d.asking = d.asks.Engine(engine.Key{})
	d.replies = target.New(r, name+" answers", distribution.Ranks(r.Size()),
		target.Keys(func(rs []reply[A], keys []uint64) {
			for i := range rs {
				keys[i] = rs[i].To.rank()
			}
		}), target.Batch(d.arrive), options...)
	return d
}

// Call asks, and returns the answer. A task that calls waits, and lets others run, unless this rank owns the key. In an epoch's body the
// main function may call, and handles what arrives until the answer is there; tasks don't run meanwhile.
func (d *Delegate[Q, A]) Call(q Q) A {
	d.mayWait("Call")
	if d.isHere(q) {
		return d.answerHere(q)
	}
	s := d.take()
	s.as, s.left = s.one[:], 1
	d.asks.Send(question[Q]{q, d.address(s, 0)})
	d.await(s, "Call")
	return d.give(s)
}

// CallAll asks all questions and returns when all answers have come: as[i] to qs[i]. A task waits once for all of them, so each costs
// a fraction of a Call.
func (d *Delegate[Q, A]) CallAll(qs []Q, as []A) {
	d.mayWait("CallAll")
	if len(as) != len(qs) {
		d.misuse("CallAll with %d questions and room for %d answers: give as many", len(qs), len(as))
	}
	for len(qs) > 0 {
		n := min(len(qs), answersMax)
		d.callAll(qs[:n], as[:n])
		qs, as = qs[n:], as[n:]
	}
}

func (d *Delegate[Q, A]) callAll(qs []Q, as []A) {
	s := d.take()
	s.as = as
	for i, q := range qs {
		if d.isHere(q) {
			as[i] = d.answerHere(q)
			continue
		}
		s.left++
		d.asks.Send(question[Q]{q, d.address(s, i)})
	}
	d.await(s, "CallAll")
	d.give(s)
}

// Start asks, and returns at once. The answer is the future's, which is to be waited for once.
func (d *Delegate[Q, A]) Start(q Q) Future[A] {
	d.mayWait("Start")
	if d.isHere(q) {
		return Future[A]{a: d.answerHere(q)}
	}
	s := d.take()
	s.as, s.left = s.one[:], 1
	d.asks.Send(question[Q]{q, d.address(s, 0)})
	return Future[A]{of: d.answers, slot: s, use: s.use}
}

// Do has the operation done and wants no answer. It may be called where a target may be sent to, also by handlers and answers; the end of
// the epoch says that it was done.
func (d *Delegate[Q, A]) Do(q Q) {
	if d.engine.InBody() || d.engine.InTask("Do") {
		if d.isHere(q) {
			d.answerHere(q)
			return
		}
	}
	d.asks.Send(question[Q]{q, nobody})
}

func (d *Delegate[Q, A]) isHere(q Q) bool { return d.here != nil && d.here.Owner(d.key(q)) == d.self }

// answerHere answers a question of this rank to itself, as a handler.
func (d *Delegate[Q, A]) answerHere(q Q) A {
	d.engine.Count.PebblesSent++
	before := d.asking.Handle(1)
	a := d.answer(q)
	d.asking.Handled(before)
	return a
}

// serve answers questions.
func (d *Delegate[Q, A]) serve(qs []question[Q]) {
	d.back = d.back[:0]
	for i := range qs {
		a := d.answer(qs[i].Q)
		if qs[i].From != nobody {
			d.back = append(d.back, reply[A]{a, qs[i].From})
		}
	}
	d.replies.SendAll(d.back)
}

// mayWait ends the job where a call may not wait.
func (d *Delegate[Q, A]) mayWait(call string) {
	if !d.engine.InTask(call) && !d.engine.InBody() {
		d.refuse(call)
	}
}

func (d *answers[A]) refuse(call string) {
	if d.engine.InHandler() {
		d.misuse("%s was called in a handler or an answer, which must not wait: call it in a task, or have Do", call)
	}
	d.misuse("%s was called outside of an epoch: call it in a task, or in an epoch's body", call)
}

func (d *answers[A]) misuse(format string, args ...any) {
	panic(fmt.Sprintf("delegate: rank %d: %q: %s", d.engine.ID(), d.name, fmt.Sprintf(format, args...)))
}
