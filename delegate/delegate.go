package delegate

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/request"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Delegate is an operation: questions of type Q are answered by values of type A at the rank that owns their keys. Both
// are plain data, or travel through codecs: see [Coded].
// Its methods are for its rank's tasks, and for its main function in an epoch's body.
type Delegate[Q, A any] struct {
	*answers[A]
	self    int
	here    distribution.Map // answers at once where it says this rank; nil where keys move
	key     func(q Q) uint64
	answer  func(qs []Q, as []A)
	one     func(q Q) A // answer, for one question
	asks    *target.Target[question[Q]]
	asking  *engine.Target // of asks
	replies *target.Target[reply[A]]
	qs      []Q // of a batch that is being answered
	as      []A
	back    []reply[A]
	places  []uint32        // of own questions in a call of many
	chunks  [][]question[Q] // that no call uses
	coded   bool            // questions and answers may hold pointers
}

// chunk is how many questions are asked and answered at a time.
const chunk = 256

// question is one on its way to the owner of its key.
type question[Q any] = request.Request[Q, request.Address]

// New registers an operation, by the rules of target.New: on all ranks, in the same order, between epochs. key gives
// the key of a question; answer is called at its owner. Of the options of targets, Coalesce, Route and Coded apply, and
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
// answer to qs[i]. It saves a call a question, and can fetch ahead what it will read. The slices are gone when it
// returns.
func NewBatch[Q, A any](s *task.Scheduler, name string, owner distribution.Map, key func(q Q) uint64,
	answer func(qs []Q, as []A), options ...target.Option) *Delegate[Q, A] {
	r := s.Rank()
	d := &Delegate[Q, A]{
		answers: &answers[A]{engine: engine.RankOf(r), name: name},
		self:    r.ID(), key: key, answer: answer,
		qs: make([]Q, chunk), as: make([]A, chunk), back: make([]reply[A], chunk), places: make([]uint32, chunk),
	}
	d.one = func(q Q) A {
		d.qs[0] = q
		answer(d.qs[:1], d.as[:1])
		return d.as[0]
	}
	if _, moving := owner.(interface{ Move(key uint64, to int) }); !moving {
		d.here = owner
	}
	toAsk, toReply, err := d.parted(options)
	switch {
	case err != nil:
		d.engine.Refuse(name, err.Error())
	case key == nil || answer == nil:
		d.engine.Refuse(name, "it has no key function, or none that answers: give both")
	}
	d.asks = target.New(r, name, owner, target.Keys(func(qs []question[Q], keys []uint64) {
		for i := range qs {
			keys[i] = key(qs[i].Q)
		}
	}), target.Batch(d.serve), toAsk...)
	d.asking = engine.TargetOf(d.asks)
	d.asking.OwnRoom = true // each task has one Call in progress
	d.replies = target.New(r, name+" answers", distribution.Ranks(r.Size()),
		target.Keys(request.Ranks[A]), target.Batch(d.arrive), toReply...)
	return d
}

// Call asks, and returns the answer. A task that calls waits, and lets others run, unless this rank owns the key. In an
// epoch's body the main function may call, and handles what arrives until the answer is there; tasks don't run
// meanwhile.
func (d *Delegate[Q, A]) Call(q Q) A {
	if !d.engine.InTask("Call") && !d.engine.InBody() {
		d.refuse("Call")
	}
	if d.here == nil || d.here.Owner(d.key(q)) != d.self {
		return d.callAway(q)
	}
	// isHere and answerHere are written out here, which halves the time of a call.
	before := d.asking.Handle(1)
	d.engine.Count.PebblesSent++
	a := d.one(q)
	d.asking.Handled(before)
	return a
}

func (d *Delegate[Q, A]) callAway(q Q) A {
	c := d.newCallOfOne()
	d.asks.Send(question[Q]{Q: q, From: d.address(c, 0)})
	return d.await(c, "Call")
}

// CallAll asks all questions and returns when all answers have come: as[i] to qs[i]. A task waits once for all of them,
// so each costs a fraction of a Call.
func (d *Delegate[Q, A]) CallAll(qs []Q, as []A) {
	d.mayWait("CallAll")
	if len(as) != len(qs) {
		d.misuse("CallAll with %d questions and room for %d answers: give as many", len(qs), len(as))
	}
	for len(qs) > 0 {
		n := min(len(qs), request.PlacesMax)
		d.callAll(qs[:n], as[:n])
		qs, as = qs[n:], as[n:]
	}
}

func (d *Delegate[Q, A]) callAll(qs []Q, as []A) {
	c := d.newCall(as)
	for from := 0; from < len(qs); from += chunk {
		d.askAll(c, qs[from:min(from+chunk, len(qs))], from)
	}
	d.await(c, "CallAll")
}

// askAll asks questions whose answers go to places of a call from one on.
func (d *Delegate[Q, A]) askAll(c *call[A], qs []Q, from int) {
	var out []question[Q]
	if n := len(d.chunks); n > 0 { // while sends wait, other tasks ask
		out, d.chunks = d.chunks[n-1], d.chunks[:n-1]
	} else {
		out = make([]question[Q], 0, chunk)
	}
	own, to := 0, d.address(c, from)
	for i, q := range qs {
		if d.here != nil && d.here.Owner(d.key(q)) == d.self {
			d.qs[own], d.places[own] = q, uint32(i)
			own++
		} else {
			out = append(out, question[Q]{Q: q, From: to.Plus(i)})
		}
	}
	if own > 0 {
		d.answerOwn(own, c.as[from:])
	}
	c.left += uint32(len(out))
	if d.full("CallAll") {
		d.asking.AwaitRoomFor(out)
	}
	d.asks.SendAll(out)
	if d.coded {
		clear(out)
	}
	d.chunks = append(d.chunks, out[:0])
}

// Start asks, and returns at once. The answer is the future's, which is to be waited for once.
func (d *Delegate[Q, A]) Start(q Q) Future[A] {
	d.mayWait("Start")
	if d.isHere(q) {
		return Future[A]{a: d.answerHere(q)}
	}
	c := d.newCallOfOne()
	asked := question[Q]{Q: q, From: d.address(c, 0)}
	if d.full("Start") {
		d.asking.AwaitRoomFor([]question[Q]{asked})
	}
	d.asks.Send(asked)
	return Future[A]{of: d.answers, call: c, ticket: c.Ticket()}
}

// Do has the operation done and wants no answer. It may be called where a target may be sent to, also by handlers and
// answers; the end of the epoch says that it was done.
func (d *Delegate[Q, A]) Do(q Q) {
	if d.engine.InBody() || d.engine.InTask("Do") {
		if d.isHere(q) {
			d.answerHere(q)
			return
		}
		if d.full("Do") {
			d.asking.AwaitRoomFor([]question[Q]{{Q: q, From: request.Nobody}})
		}
	}
	d.asks.Send(question[Q]{Q: q, From: request.Nobody})
}

// full tells whether a task calls, and links may be full, so that it waits for those that it asks over. The questions
// of tasks that only Call need no more than one a task.
func (d *Delegate[Q, A]) full(call string) bool { return d.engine.InTask(call) && !d.asking.HasRooms() }

func (d *Delegate[Q, A]) isHere(q Q) bool { return d.here != nil && d.here.Owner(d.key(q)) == d.self }

// answerOwn answers the first n of d.qs, which are this rank's own, and puts the answers to their places.
func (d *Delegate[Q, A]) answerOwn(n int, as []A) {
	d.engine.Count.PebblesSent += uint64(n)
	before := d.asking.Handle(n)
	d.answer(d.qs[:n], d.as[:n])
	d.asking.Handled(before)
	for i, place := range d.places[:n] {
		as[place] = d.as[i]
	}
	if d.coded {
		clear(d.qs[:n])
		clear(d.as[:n])
	}
}

// answerHere answers a question of this rank to itself, as a handler.
func (d *Delegate[Q, A]) answerHere(q Q) A {
	d.engine.Count.PebblesSent++
	before := d.asking.Handle(1)
	a := d.one(q)
	d.asking.Handled(before)
	return a
}

// serve answers questions.
func (d *Delegate[Q, A]) serve(asked []question[Q]) {
	for len(asked) > 0 {
		n := min(len(asked), chunk)
		d.serveChunk(asked[:n])
		asked = asked[n:]
	}
}

// serveChunk answers in three passes: the answers' reads of memory overlap where nothing else comes between them.
func (d *Delegate[Q, A]) serveChunk(asked []question[Q]) {
	qs, as := d.qs[:len(asked)], d.as[:len(asked)]
	for i := range asked {
		qs[i] = asked[i].Q
	}
	d.answer(qs, as)
	back := d.back[:0]
	for i := range asked {
		if asked[i].From != request.Nobody {
			back = append(back, reply[A]{A: as[i], To: asked[i].From})
		}
	}
	d.replies.SendAll(back)
	if d.coded { // let go of what they point to
		clear(qs)
		clear(as)
		clear(back)
	}
}

// mayWait ends the job where a call may not wait.
func (d *answers[A]) mayWait(call string) {
	if !d.engine.MayWait(call) {
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
