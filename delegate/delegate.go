package delegate

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/request"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Delegate is an operation that answers questions of type Q by values of type A at the ranks that own their keys. Both
// are plain data, or travel through codecs: see [Coded]. Its methods are for its rank's tasks, and for its main
// function in an epoch's body.
type Delegate[Q, A any] struct {
	of       *operation
	engine   *engine.Rank
	self     int
	here     distribution.Map // owners of keys, to answer at once on this rank; nil if keys move
	key      func(q Q) uint64
	answer   func(qs []Q, as []A)
	one      func(q Q) A // answer, for one question
	exchange *target.Exchange[question[Q], reply[A]]
	asking   *engine.Target // of questions
	batch    request.Batch[Q, A]
	places   []uint32        // of own questions in a call of many
	chunks   [][]question[Q] // unused ones
	coded    bool            // questions and answers may hold pointers
}

// chunk is the number of questions asked and answered at a time.
const chunk = 256

// question is a question on its way to the owner of its key.
type question[Q any] = request.Request[Q, request.Address]

// New registers an operation, by the rules of target.New: on all ranks, in the same order, between epochs. key returns
// the key of a question; answer runs at its owner. The target options Coalesce, Route, Coded and Answers apply, and
// [Coded] is one more.
func New[Q, A any](s *task.Scheduler, name string, owner distribution.Map, key func(q Q) uint64, answer func(q Q) A,
	options ...target.Option) *Delegate[Q, A] {
	var all func(qs []Q, as []A)
	if answer != nil {
		all = func(qs []Q, as []A) {
			as = as[:len(qs)]
			for i, q := range qs {
				as[i] = answer(q)
			}
		}
	}
	d := NewBatch(s, name, owner, key, all, options...)
	d.one = answer
	return d
}

// NewBatch is New with a function that answers many questions at a time, as they have arrived, and sets as[i] to the
// answer to qs[i]. It saves a call per question, and can prefetch its data. The slices are valid until it returns.
func NewBatch[Q, A any](s *task.Scheduler, name string, owner distribution.Map, key func(q Q) uint64,
	answer func(qs []Q, as []A), options ...target.Option) *Delegate[Q, A] {
	r := s.Rank()
	d := &Delegate[Q, A]{
		of: &operation{engine: r.Inside(frame.Access{}), name: name}, engine: r.Inside(frame.Access{}),
		self: r.ID(), key: key, answer: answer, places: make([]uint32, chunk),
	}
	d.batch.Room(chunk)
	d.one = func(q Q) A {
		qs, as := d.batch.Room(1)
		qs[0] = q
		answer(qs, as)
		return as[0]
	}
	if _, moving := owner.(interface{ Move(key uint64, to int) }); !moving {
		d.here = owner
	}
	asking, replying, coded, err := parted[Q, A](options)
	d.coded = coded
	switch {
	case err != nil:
		d.engine.Refuse(name, err.Error())
	case key == nil || answer == nil:
		d.engine.Refuse(name, "it has no key function, or none that answers: give both")
	}
	d.exchange = target.NewExchange(frame.Access{}, r, name, target.Exchanging[question[Q], reply[A]]{
		Owner: owner, Keys: target.Keys(func(qs []question[Q], keys []uint64) {
			for i := range qs {
				keys[i] = key(qs[i].Q)
			}
		}),
		Serve: func(asked []question[Q], back []reply[A]) []reply[A] { return serve(d, asked, back) }, Asking: asking,
		Ranks: request.Ranks[A], Take: func(rs []reply[A]) { arrive(d.of, rs) }, Replying: replying,
	})
	d.asking = d.exchange.Questions.Inside(frame.Access{})
	d.asking.NoSendLimit = true // each task has one Call in progress
	return d
}

// Free frees the operation, by the rules of target.Target.Free.
func (d *Delegate[Q, A]) Free() {
	gone := d.engine.Free(fmt.Sprintf("delegate %q", d.of.name))
	if gone == nil {
		return
	}
	d.exchange.Free()
	d.engine, d.here = gone, nil
	*d.of = operation{engine: gone, name: d.of.name} // futures have it, too
	d.batch, d.places, d.chunks = request.Batch[Q, A]{}, nil, nil
}

// Call asks, and returns the answer. Unless this rank owns the key, a calling task waits, and other tasks run. In an
// epoch's body the main function may call, and runs handlers until the answer arrives; tasks don't run meanwhile.
func (d *Delegate[Q, A]) Call(q Q) A {
	if !d.engine.InTask("Call") && !d.engine.InBody() {
		d.of.refuse("Call")
	}
	if d.here == nil || d.here.Owner(d.key(q)) != d.self {
		return callAway(d, q)
	}
	// isHere and answerHere are inlined by hand here, which halves the time of a call.
	before := d.asking.Handle(1)
	d.engine.Sender.Count.PebblesSent++
	a := d.one(q)
	d.asking.Handled(before)
	return a
}

func callAway[Q, A any](d *Delegate[Q, A], q Q) A {
	c := newCallOfOne[A](d.of)
	d.exchange.Questions.Send(question[Q]{Q: q, From: d.of.address(&c.waiting, 0)})
	d.of.await(&c.waiting, "Call")
	return answerOf(d.of, c)
}

// CallAll asks all questions and returns when all answers have arrived: as[i] is the answer to qs[i]. A task waits once
// for all of them, so each costs a fraction of a Call.
func (d *Delegate[Q, A]) CallAll(qs []Q, as []A) {
	d.of.mayWait("CallAll")
	if len(as) != len(qs) {
		d.of.misuse("CallAll with %d questions and room for %d answers: give as many", len(qs), len(as))
	}
	for len(qs) > 0 {
		n := min(len(qs), request.PlacesMax)
		callAll(d, qs[:n], as[:n])
		qs, as = qs[n:], as[n:]
	}
}

func callAll[Q, A any](d *Delegate[Q, A], qs []Q, as []A) {
	c := newCall(d.of, as)
	for from := 0; from < len(qs); from += chunk {
		askAll(d, c, qs[from:min(from+chunk, len(qs))], from)
	}
	d.of.await(&c.waiting, "CallAll")
	answerOf(d.of, c)
}

// askAll asks questions whose answers go to the places of a call from one on.
func askAll[Q, A any](d *Delegate[Q, A], c *call[A], qs []Q, from int) {
	var out []question[Q]
	if n := len(d.chunks); n > 0 { // other tasks ask while sends wait
		out, d.chunks = d.chunks[n-1], d.chunks[:n-1]
	} else {
		out = make([]question[Q], 0, chunk)
	}
	room, _ := d.batch.Room(chunk)
	own, to := 0, d.of.address(&c.waiting, from)
	for i, q := range qs {
		if d.here != nil && d.here.Owner(d.key(q)) == d.self {
			room[own], d.places[own] = q, uint32(i)
			own++
		} else {
			out = append(out, question[Q]{Q: q, From: to.Plus(i)})
		}
	}
	if own > 0 {
		answerOwn(d, own, c.as[from:])
	}
	c.left += uint32(len(out))
	if d.of.full("CallAll", d.asking) {
		d.asking.AwaitRoomFor(out)
	}
	d.exchange.Questions.SendAll(out)
	if d.coded {
		clear(out)
	}
	d.chunks = append(d.chunks, out[:0])
}

// Start asks, and returns at once. The future has the answer; call its Wait once.
func (d *Delegate[Q, A]) Start(q Q) Future[A] {
	d.of.mayWait("Start")
	if isHere(d, q) {
		return Future[A]{a: answerHere(d, q)}
	}
	c := newCallOfOne[A](d.of)
	asked := question[Q]{Q: q, From: d.of.address(&c.waiting, 0)}
	if d.of.full("Start", d.asking) {
		d.asking.AwaitRoomFor([]question[Q]{asked})
	}
	d.exchange.Questions.Send(asked)
	return Future[A]{of: d.of, call: c, ticket: c.future.Ticket()}
}

// Do asks without an answer. It may be called wherever a target's Send may be, also by handlers and answers. At the end
// of the epoch the operation has been done.
func (d *Delegate[Q, A]) Do(q Q) {
	if d.engine.InBody() || d.engine.InTask("Do") {
		if isHere(d, q) {
			answerHere(d, q)
			return
		}
		if d.of.full("Do", d.asking) {
			d.asking.AwaitRoomFor([]question[Q]{{Q: q, From: request.Nobody}})
		}
	}
	d.exchange.Questions.Send(question[Q]{Q: q, From: request.Nobody})
}

// full reports whether the caller is a task and links may be full, so that it must wait for those that it asks over.
// The questions of tasks that only Call need no more than one place per task.
func (d *operation) full(call string, asking *engine.Target) bool {
	return d.engine.InTask(call) && !asking.HasRooms()
}

func isHere[Q, A any](d *Delegate[Q, A], q Q) bool {
	return d.here != nil && d.here.Owner(d.key(q)) == d.self
}

// answerOwn answers the first n questions of the batch, which this rank owns, and stores the answers at their places.
func answerOwn[Q, A any](d *Delegate[Q, A], n int, as []A) {
	d.engine.Sender.Count.PebblesSent += uint64(n)
	qs, answers := d.batch.Room(n)
	before := d.asking.Handle(n)
	d.answer(qs, answers)
	d.asking.Handled(before)
	for i, place := range d.places[:n] {
		as[place] = answers[i]
	}
	forget(d, n)
}

// answerHere answers a question of this rank to itself, as a handler.
func answerHere[Q, A any](d *Delegate[Q, A], q Q) A {
	d.engine.Sender.Count.PebblesSent++
	before := d.asking.Handle(1)
	a := d.one(q)
	d.asking.Handled(before)
	return a
}

// serve answers questions in three passes: the answers' reads of memory overlap if nothing else comes between them.
func serve[Q, A any](d *Delegate[Q, A], asked []question[Q], back []reply[A]) []reply[A] {
	qs, as := d.batch.Room(len(asked))
	for i := range asked {
		qs[i] = asked[i].Q
	}
	d.answer(qs, as)
	for i := range asked {
		if asked[i].From != request.Nobody {
			back = append(back, reply[A]{A: as[i], To: asked[i].From})
		}
	}
	forget(d, len(asked))
	return back
}

// forget releases the memory that the values of a batch of n point to.
func forget[Q, A any](d *Delegate[Q, A], n int) {
	if d.coded {
		d.batch.Forget(n)
	}
}

// mayWait ends the job if the call must not wait here.
func (d *operation) mayWait(call string) {
	if !d.engine.MayWait(call) {
		d.refuse(call)
	}
}

func (d *operation) refuse(call string) {
	d.engine.CheckFreed(call)
	if d.engine.InHandler() {
		d.misuse("%s was called in a handler or an answer, which must not wait: call it in a task, or use Do", call)
	}
	d.misuse("%s was called outside of an epoch: call it in a task, or in an epoch's body", call)
}

func (d *operation) misuse(format string, args ...any) {
	d.engine.Misuse("delegate", "%q: %s", d.name, fmt.Sprintf(format, args...))
}
