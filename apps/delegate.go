package apps

import (
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/task"
)

// asked is a question with the rank that asks, so that the owner knows whether its answer is a pebble.
type asked[Q any] struct {
	Q    Q
	From uint32
}

// Delegate is a delegate whose questions and answers are accounted for in a tally, as other pebbles of applications
// are.
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

// NewDelegate registers an operation, by the rules of delegate.New. print is a fingerprint of a question, bits tell
// answers apart. answer gets questions for keys of its rank only: others are misplaced, and get no answer but the zero
// one.
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

// printOf is the fingerprint of an answer.
func (d *Delegate[Q, A]) printOf(q Q, a A) uint64 { return Fold(d.print(q), ^d.bits(a)) }

// batchMost is how many questions a task waits for at a time.
const batchMost = 64

// batch is questions of one task that wait together.
type batch[Q, A any] struct {
	d    *Delegate[Q, A]
	qs   []asked[Q]
	as   []A
	take func(q Q, a A)
}

// verticesPerTask is how many vertices with few arcs a task looks at, if that leaves enough tasks: with a grain of 16
// Grappa was 60 % faster than with 1 (section 8.3).
const (
	verticesPerTask = 16
	tasksEnough     = 1024
	rowLong         = 8 * batchMost
)

// EachArc asks a question about each arc that leaves some vertices, as a parallel loop: tasks of a few vertices, and
// tasks of pieces of long rows, each of which waits for batchMost answers at a time. take gets each answer with its
// question. A task calls it, and it returns when all is done.
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

// batch lends a task an empty batch, whose answers go to take. The task gives it back by close.
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

// ask adds a question, and asks all of them when they are many.
func (b *batch[Q, A]) ask(q Q) {
	if b.qs = append(b.qs, asked[Q]{q, uint32(b.d.self)}); len(b.qs) == cap(b.qs) {
		b.flush()
	}
}

// close asks what is left, and gives the batch back.
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
