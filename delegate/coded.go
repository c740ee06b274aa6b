package delegate

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/internal/request"
	"github.com/activepebbles/pebbles/target"
)

// Coded makes the questions and answers of a delegate travel through codecs, such as pebble.Strings and those of
// package target/avro. A nil codec stands for a type that is plain data. Each way costs the codec, and 20 bytes.
// target.Coded does the same for values of one type.
func Coded[Q, A any](questions target.Codec[Q], answers target.Codec[A]) target.Option {
	missing := cmp.Or(lack("question", reflect.TypeFor[Q](), questions != nil),
		lack("answer", reflect.TypeFor[A](), answers != nil))
	return pair{target.Coded(questions), questions, answers, missing}
}

// pair is the option that Coded returns. A target refuses it.
type pair struct {
	target.Option
	questions, answers any
	lack               error
}

// lack returns an error if values are not plain data, and have no codec.
func lack(name string, t reflect.Type, coded bool) error {
	if err := layout.Plain(t); err != nil && !coded {
		return fmt.Errorf("its %s: %w: give delegate.Coded %s, or another codec of it, instead of nil", name, err,
			codecs.Ready(t))
	}
	return nil
}

// parted splits the program's options into those of both targets.
func parted[Q, A any](options []target.Option) (asking, replying []target.Option, coded bool, err error) {
	q, a := codecs.NewItem[Q]("question"), codecs.NewItem[A]("answer")
	others, err := shared(options, &q, &a)
	if err != nil {
		return nil, nil, false, err
	}
	if asking, replying, err = target.ExchangeOptions(frame.Access{}, others, &q, &a); err != nil {
		return nil, nil, false, err
	}
	if q.Coded() {
		asking = append(asking, target.Coded(request.Codec[Q, request.Address](q.Value)))
	}
	if a.Coded() {
		replying = append(replying, target.Coded(request.ReplyCodec[A, request.Address](a.Value)))
	}
	return asking, replying, q.Coded() || a.Coded(), nil
}

// shared gives questions and answers the codecs of options by [Coded], and returns the other options.
func shared(options []target.Option, q, a *codecs.Item) (others []target.Option, err error) {
	for _, o := range options {
		p, ok := o.(pair)
		if !ok {
			others = append(others, o)
			continue
		}
		err = cmp.Or(err, p.lack)
		if p.questions != nil && !q.Take(p.questions) || p.answers != nil && !a.Take(p.answers) {
			err = cmp.Or(err, fmt.Errorf("delegate.Coded got %T and %T: %v, %v", p.questions, p.answers, q, a))
		}
	}
	return others, err
}
