package target

import (
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
)

// Exchange is a target for questions, which travel as pebbles of type Q to the owners of their keys, and a target for
// the answers, which travel back as pebbles of type R. Asks, delegates and memory accesses use it. It is for packages
// of this module.
type Exchange[Q, R any] struct {
	Questions *Target[Q]
	Answers   *Target[R]
	back      []R // answers to a batch
}

// Exchanging holds the parts of an exchange.
type Exchanging[Q, R any] struct {
	Owner    distribution.Map
	Keys     Keying[Q]                    // of questions
	Serve    func(qs []Q, back []R) []R   // appends the answers to at most 256 questions; a handler of the owner
	Asking   []Option                     // of the target for questions
	Ranks    func(rs []R, ranks []uint64) // ranks that asked, one per answer
	Take     func(rs []R)                 // takes answers; a handler of the rank that asked
	Replying []Option                     // of the target for answers
}

// NewExchange registers both targets, by the rules of [New].
func NewExchange[Q, R any](_ frame.Access, r *pebble.Rank, name string, of Exchanging[Q, R]) *Exchange[Q, R] {
	x := &Exchange[Q, R]{}
	x.Questions = New(r, name, of.Owner, of.Keys, Batch(func(qs []Q) {
		for len(qs) > 0 {
			n := min(len(qs), chunk)
			x.send(of.Serve(qs[:n], x.back[:0]))
			qs = qs[n:]
		}
	}), of.Asking...)
	x.Answers = New(r, name+" answers", distribution.Ranks(r.Size()), Keys(of.Ranks), Batch(of.Take), of.Replying...)
	return x
}

// send sends the answers to a batch.
func (x *Exchange[Q, R]) send(back []R) {
	x.Answers.SendAll(back)
	if x.Answers.core.coded != nil {
		clear(back) // answers may point to much memory
	}
	x.back = back
}

// Flush sends the questions, and the answers to others, that this rank holds back.
func (x *Exchange[Q, R]) Flush() {
	x.Questions.Flush()
	x.Answers.Flush()
}

// Free frees both targets, by the rules of [Target.Free].
func (x *Exchange[Q, R]) Free() {
	x.Questions.Free()
	x.Answers.Free()
	x.back = nil
}

// ExchangeOptions splits the options of a program into those of the targets for questions and for answers. question and
// answer get their codecs; the caller adds the codecs of the pebbles.
func ExchangeOptions(_ frame.Access, options []Option, question, answer *codecs.Item) (asking, replying []Option,
	err error) {
	given, others := codecs.Given(options)
	if err := codecs.Share(given, question, answer); err != nil {
		return nil, nil, err
	}
	for _, o := range others {
		if a, ok := o.(answering); ok {
			replying = append(replying, a.options...)
		} else {
			asking = append(asking, o)
		}
	}
	return asking, append(slices.Clip(asking), replying...), nil
}
