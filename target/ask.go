package target

import (
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/request"
	"github.com/activepebbles/pebbles/pebble"
)

// Ask is where questions of type Q go whose answers, of type A, come back: at the owner of its key a question is
// answered, and at the rank that asked, question and answer are handed on together. What the latter needs beside the
// answer, the question carries. Both types are plain data, or travel through a codec each: see [Coded]. Its methods are
// for that rank's goroutine, inside epochs, as those of a [Target] are.
type Ask[Q, A any] struct {
	self      uint32
	questions *Target[asked[Q]]
	answers   *Target[answered[Q, A]]
	answer    func(qs []Q, as []A)
	then      func(qs []Q, as []A)
	keyed     []Q // questions of a batch, for the key function
	qs        []Q // of a batch, while it is answered or handed on
	as        []A
	back      []answered[Q, A]
	out       []asked[Q]
	coded     bool // questions or answers may hold pointers
}

// asked is a question, and the rank that asks.
type asked[Q any] = request.Request[Q, uint32]

// answered is a question and its answer, on their way to the rank that has asked.
type answered[Q, A any] struct {
	Q    Q
	A    A
	From uint32
}

// NewAsk registers two targets, for questions and for answers, by the rules of [New]. keying addresses questions.
// answer runs at their owner; then runs at the rank that asked. Both are handlers: they may send and ask, and don't
// wait. Of options, Coalesce, Route and Coded apply; the latter for values of type Q, of type A, or both. [Answers] has
// those of answers alone.
//
// An epoch that declares a depth counts a question as one pebble of a chain, and its answer as the next.
func NewAsk[Q, A any](r *pebble.Rank, name string, owner distribution.Map, keying Keying[Q],
	answer func(q Q) A, then func(q Q, a A), options ...Option) *Ask[Q, A] {
	if answer == nil || then == nil {
		return NewAskBatch[Q, A](r, name, owner, keying, nil, nil, options...) // which refuses it
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

// NewAskBatch is NewAsk with functions that get many questions at a time, as they have arrived: answer sets as[i] to
// the answer to qs[i]. It saves two calls a question, and can fetch ahead what it will read. The slices are gone when
// the functions return.
func NewAskBatch[Q, A any](r *pebble.Rank, name string, owner distribution.Map, keying Keying[Q],
	answer, then func(qs []Q, as []A), options ...Option) *Ask[Q, A] {
	if answer == nil || then == nil {
		r.Inside(frame.Access{}).Refuse(name, "it has no function that answers, or none that takes answers: give both")
	}
	a := &Ask[Q, A]{self: uint32(r.ID()), answer: answer, then: then}
	toAsk, toAnswer, err := a.parted(options)
	if err != nil {
		r.Inside(frame.Access{}).Refuse(name, err.Error())
	}
	var keys Keying[asked[Q]]
	if keying.many != nil {
		keys = Keys(func(vs []asked[Q], keys []uint64) {
			a.keyed = a.keyed[:0]
			for i := range vs {
				a.keyed = append(a.keyed, vs[i].Q)
			}
			keying.many(of(a.keyed), keys)
		})
	}
	a.questions = New(r, name, owner, keys, Batch(a.serve), toAsk...)
	a.answers = New(r, name+" answers", distribution.Ranks(r.Size()),
		Keys(func(vs []answered[Q, A], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].From)
			}
		}), Batch(a.handOn), toAnswer...)
	return a
}

// parted makes the options of both targets of those of the program.
func (a *Ask[Q, A]) parted(options []Option) (questions, answers []Option, err error) {
	question, answer := codecs.Part[Q]{Name: "question"}, codecs.Part[A]{Name: "answer"}
	given, others := codecs.Given(options)
	if err := codecs.Share(given, &question, &answer); err != nil {
		return nil, nil, err
	}
	for _, o := range others {
		if a, ok := o.(answering); ok {
			answers = append(answers, a.options...)
			continue
		}
		questions = append(questions, o)
	}
	answers = append(slices.Clip(questions), answers...)
	if question.Codec != nil {
		questions = append(questions, Coded(request.Codec[Q, uint32](question.Codec)))
	}
	if a.coded = question.Codec != nil || answer.Codec != nil; a.coded {
		answers = append(answers, Coded(codecs.Tagged(codecs.Both(question, answer),
			func(v answered[Q, A]) (codecs.Pair[Q, A], uint32) { return codecs.Pair[Q, A]{A: v.Q, B: v.A}, v.From },
			func(p codecs.Pair[Q, A], from uint32) answered[Q, A] { return answered[Q, A]{p.A, p.B, from} })))
	}
	return questions, answers, nil
}

// Send asks one question. It may do what [Target.Send] may.
func (a *Ask[Q, A]) Send(q Q) { a.questions.Send(asked[Q]{Q: q, From: a.self}) }

// SendAll asks many questions. It may do what [Target.SendAll] may.
func (a *Ask[Q, A]) SendAll(qs []Q) {
	var out []asked[Q]
	out, a.out = a.out[:0], nil // handlers that run meanwhile may ask
	for _, q := range qs {
		out = append(out, asked[Q]{Q: q, From: a.self})
	}
	a.questions.SendAll(out)
	if a.coded {
		clear(out)
	}
	a.out = out
}

// forget lets go of what the values of a batch point to.
func (a *Ask[Q, A]) forget() {
	clear(a.keyed)
	clear(a.qs)
	clear(a.as)
	clear(a.back)
}

// Flush sends on what this rank holds back of questions, and of answers to others.
func (a *Ask[Q, A]) Flush() {
	a.questions.Flush()
	a.answers.Flush()
}

// serve answers questions.
func (a *Ask[Q, A]) serve(vs []asked[Q]) {
	a.qs, a.as, a.back = a.qs[:0], a.as[:0], a.back[:0]
	for i := range vs {
		a.qs, a.as = append(a.qs, vs[i].Q), append(a.as, *new(A))
	}
	a.answer(a.qs, a.as)
	for i := range vs {
		a.back = append(a.back, answered[Q, A]{vs[i].Q, a.as[i], vs[i].From})
	}
	a.answers.SendAll(a.back)
	if a.coded {
		a.forget()
	}
}

// handOn hands answers on to the program.
func (a *Ask[Q, A]) handOn(vs []answered[Q, A]) {
	a.qs, a.as = a.qs[:0], a.as[:0]
	for i := range vs {
		a.qs, a.as = append(a.qs, vs[i].Q), append(a.as, vs[i].A)
	}
	a.then(a.qs, a.as)
	if a.coded {
		a.forget()
	}
}
