package target

import (
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/request"
	"github.com/activepebbles/pebbles/pebble"
)

// Ask sends questions of type Q and brings back answers of type A. The owner of a question's key answers it; the rank
// that asked gets the question and its answer together. A question carries all that its rank needs to use the answer.
// Both types are plain data, or travel through a codec each: see [Coded]. The methods are for the asking rank's
// goroutine, inside epochs, like those of a [Target].
type Ask[Q, A any] struct {
	self     uint32
	exchange *Exchange[asked[Q], answered[Q, A]]
	answer   func(qs []Q, as []A)
	then     func(qs []Q, as []A)
	batch    request.Batch[Q, A]
	keyed    []Q // questions of a batch, for the key function
	out      []asked[Q]
	coded    bool // questions or answers may hold pointers
}

// asked is a question with the rank that asks it.
type asked[Q any] = request.Request[Q, uint32]

// answered is a question and its answer, on their way to the rank that asked.
type answered[Q, A any] struct {
	Q    Q
	A    A
	From uint32
}

// NewAsk registers two targets, for questions and for answers, by the rules of [New]. keying addresses questions.
// answer runs at their owner; then runs at the rank that asked. Both are handlers: they may send and ask, but don't
// wait. Of options, Coalesce, Route and Coded apply; Coded may be given for Q, for A, or for both. [Answers] holds
// options for answers alone.
//
// In an epoch with a declared depth, a question counts as one pebble of a chain, and its answer as the next.
func NewAsk[Q, A any](r *pebble.Rank, name string, owner distribution.Map, keying Keying[Q],
	answer func(q Q) A, then func(q Q, a A), options ...Option) *Ask[Q, A] {
	if answer == nil || then == nil {
		return NewAskBatch[Q, A](r, name, owner, keying, nil, nil, options...) // refuses it
	}
	return NewAskBatch(r, name, owner, keying, func(qs []Q, as []A) {
		as = as[:len(qs)]
		for i := range qs {
			as[i] = answer(qs[i])
		}
	}, func(qs []Q, as []A) {
		as = as[:len(qs)]
		for i := range qs {
			then(qs[i], as[i])
		}
	}, options...)
}

// NewAskBatch is NewAsk with functions for batches, in the order of arrival: answer sets as[i] to the answer to qs[i].
// It saves two calls per question, and lets the functions prefetch data. The slices are invalid after the functions
// return.
func NewAskBatch[Q, A any](r *pebble.Rank, name string, owner distribution.Map, keying Keying[Q],
	answer, then func(qs []Q, as []A), options ...Option) *Ask[Q, A] {
	if answer == nil || then == nil {
		r.Inside(frame.Access{}).Refuse(name, "it has no function that answers, or none that takes answers: give both")
	}
	a := &Ask[Q, A]{self: uint32(r.ID()), answer: answer, then: then}
	question, reply := codecs.NewItem[Q]("question"), codecs.NewItem[A]("answer")
	asking, replying, err := ExchangeOptions(frame.Access{}, options, &question, &reply)
	if err != nil {
		r.Inside(frame.Access{}).Refuse(name, err.Error())
	}
	if question.Coded() {
		asking = append(asking, Coded(request.Codec[Q, uint32](question.Value)))
	}
	if a.coded = question.Coded() || reply.Coded(); a.coded {
		replying = append(replying, Coded(answeredCodec[Q, A](question.Value, reply.Value)))
	}
	a.exchange = NewExchange(frame.Access{}, r, name, Exchanging[asked[Q], answered[Q, A]]{
		Owner: owner, Keys: a.keying(keying), Serve: a.serve, Asking: asking,
		Ranks: func(vs []answered[Q, A], ranks []uint64) {
			for i := range vs {
				ranks[i] = uint64(vs[i].From)
			}
		},
		Take: a.take, Replying: replying,
	})
	return a
}

// keying addresses asked questions as the program addresses questions.
func (a *Ask[Q, A]) keying(questions Keying[Q]) Keying[asked[Q]] {
	if questions.many == nil {
		return Keying[asked[Q]]{} // registration refuses it
	}
	return Keys(func(vs []asked[Q], keys []uint64) {
		a.keyed = a.keyed[:0]
		for i := range vs {
			a.keyed = append(a.keyed, vs[i].Q)
		}
		questions.many(of(a.keyed), keys)
	})
}

// answeredCodec returns a codec of answers with their questions, made of both codecs.
func answeredCodec[Q, A any](question, answer codecs.Value) Codec[answered[Q, A]] {
	var v answered[Q, A]
	return codecs.Pebbles[answered[Q, A]](codecs.Struct(reflect.TypeOf(v), codecs.Tag[uint32](unsafe.Offsetof(v.From)),
		codecs.Field{Value: question}, codecs.Field{At: unsafe.Offsetof(v.A), Value: answer}))
}

// Send asks one question, by the rules of [Target.Send].
func (a *Ask[Q, A]) Send(q Q) { a.exchange.Questions.Send(asked[Q]{Q: q, From: a.self}) }

// SendAll asks many questions, by the rules of [Target.SendAll].
func (a *Ask[Q, A]) SendAll(qs []Q) {
	var out []asked[Q]
	out, a.out = a.out[:0], nil // handlers that run meanwhile may ask
	for _, q := range qs {
		out = append(out, asked[Q]{Q: q, From: a.self})
	}
	a.exchange.Questions.SendAll(out)
	if a.coded {
		clear(out)
	}
	a.out = out
}

// Flush sends the questions, and the answers to others, that this rank holds back.
func (a *Ask[Q, A]) Flush() { a.exchange.Flush() }

// serve answers questions.
func (a *Ask[Q, A]) serve(vs []asked[Q], back []answered[Q, A]) []answered[Q, A] {
	qs, as := a.batch.Room(len(vs))
	for i := range vs {
		qs[i] = vs[i].Q
	}
	clear(as)
	a.answer(qs, as)
	for i := range vs {
		back = append(back, answered[Q, A]{vs[i].Q, as[i], vs[i].From})
	}
	a.forget(len(vs))
	return back
}

// take gives answers to the program.
func (a *Ask[Q, A]) take(vs []answered[Q, A]) {
	qs, as := a.batch.Room(len(vs))
	for i := range vs {
		qs[i], as[i] = vs[i].Q, vs[i].A
	}
	a.then(qs, as)
	a.forget(len(vs))
}

// forget clears the pointers in the values of a batch.
func (a *Ask[Q, A]) forget(n int) {
	if a.coded {
		clear(a.keyed)
		a.batch.Forget(n)
	}
}
