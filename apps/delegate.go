package apps

import (
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/task"
)

// asked is a question and the rank that asks it. Its owner needs the rank to decide whether its answer is a pebble.
type asked[Q any] struct {
	Q    Q
	From uint32
}

// Delegate is a delegate whose questions and answers count in a tally, like other pebbles of applications.
type Delegate[Q, A any] struct {
	calls *delegate.Delegate[asked[Q], A]
	owner distribution.Map
	key   func(q Q) uint64
	print func(q Q) uint64
	bits  func(a A) uint64
	tally *Tally
	self  int
	spare []*batch[Q, A]
}

// NewDelegate registers an operation, by the rules of delegate.New. print returns a fingerprint of a question, and bits
// a number that distinguishes answers. answer gets only questions for keys of its rank; others count as misplaced, and
// get the zero answer.
func NewDelegate[Q, A any](s *task.Scheduler, name string, owner distribution.Map, key, print func(q Q) uint64,
	answer func(q Q) A, bits func(a A) uint64, tally *Tally) *Delegate[Q, A] {
	d := &Delegate[Q, A]{owner: owner, key: key, print: print, bits: bits, tally: tally, self: s.Rank().ID()}
	d.calls = delegate.New(s, name, owner, func(q asked[Q]) uint64 { return key(q.Q) }, func(q asked[Q]) (a A) {
		isOwn := owner.Owner(key(q.Q)) == d.self
		if tally.Take(print(q.Q), isOwn); isOwn {
			a = answer(q.Q)
		}
		if int(q.From) != d.self {
			tally.Send(d.printOf(q.Q, a))
		}
		return a
	})
	return d
}

// printOf returns the fingerprint of an answer.
func (d *Delegate[Q, A]) printOf(q Q, a A) uint64 { return Fold(d.print(q), ^d.bits(a)) }

// batchMost is the maximum number of questions that a task waits for at a time.
const batchMost = 64

// batch is a set of questions of one task that wait together.
type batch[Q, A any] struct {
	d    *Delegate[Q, A]
	qs   []asked[Q]
	as   []A
	take func(q Q, a A)
}

// verticesPerTask is the number of vertices with few arcs per task, if that leaves enough tasks: with a grain of 16
// Grappa was 60 % faster than with 1 (section 8.3).
const (
	verticesPerTask = 16
	tasksEnough     = 1024
	rowLong         = 8 * batchMost
)

// EachArc asks a question about each arc that leaves the given vertices, as a parallel loop: tasks handle a few
// vertices or a piece of a long row, and wait for batchMost answers at a time. take gets each question with its answer.
// Call EachArc from a task; it returns when all answers have been taken.
func EachArc[V, Q, A any](s *task.Scheduler, d *Delegate[Q, A], vertices []V, row func(v V) []V, question func(v,
	w V) Q, take func(q Q, a A)) {
	piece := func(v V, row []V) func(from, to uint64) {
		return func(from, to uint64) {
			b := d.batch(take)
			for _, w := range row[from:to] {
				b.ask(question(v, w))
			}
			b.close()
		}
	}
	grain := min(max(uint64(len(vertices))/tasksEnough, 1), verticesPerTask)
	s.For(0, uint64(len(vertices)), grain, func(from, to uint64) {
		b := d.batch(take)
		for _, v := range vertices[from:to] {
			row := row(v)
			if len(row) > rowLong {
				s.For(0, uint64(len(row)), batchMost, piece(v, row))
				continue
			}
			for _, w := range row {
				b.ask(question(v, w))
			}
		}
		b.close()
	})
}

// batch lends an empty batch to a task; its answers go to take. The task returns it by close.
func (d *Delegate[Q, A]) batch(take func(q Q, a A)) *batch[Q, A] {
	last := len(d.spare) - 1
	if last < 0 {
		return &batch[Q, A]{d, make([]asked[Q], 0, batchMost), make([]A, batchMost), take}
	}
	b := d.spare[last]
	d.spare = d.spare[:last]
	b.take = take
	return b
}

// ask adds a question. When the batch is full, it asks all of them.
func (b *batch[Q, A]) ask(q Q) {
	if b.qs = append(b.qs, asked[Q]{q, uint32(b.d.self)}); len(b.qs) == cap(b.qs) {
		b.flush()
	}
}

// close asks the remaining questions, and returns the batch.
func (b *batch[Q, A]) close() {
	b.flush()
	b.d.spare = append(b.d.spare, b)
}

func (b *batch[Q, A]) flush() {
	d := b.d
	for _, q := range b.qs {
		d.tally.Send(d.print(q.Q))
	}
	as := b.as[:len(b.qs)]
	d.calls.CallAll(b.qs, as)
	for i, q := range b.qs {
		if d.owner.Owner(d.key(q.Q)) != d.self {
			d.tally.Take(d.printOf(q.Q, as[i]), true)
		}
		b.take(q.Q, as[i])
	}
	b.qs = b.qs[:0]
}
