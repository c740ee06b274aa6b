package delegate

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/internal/request"
	"github.com/activepebbles/pebbles/target"
)

// Coded makes the questions and answers of a delegate travel through codecs, such as pebble.Strings and those of
// package target/avro. A codec that is nil is for a type that is plain data. Each way costs what the codec costs, and
// 20 bytes. target.Coded does the same for values of one type.
func Coded[Q, A any](questions target.Codec[Q], answers target.Codec[A]) target.Option {
	missing := cmp.Or(lack("question", questions), lack("answer", answers))
	return pair{target.Coded(questions), questions, answers, missing}
}

// pair is an option of a delegate: what Coded was given. As an option of a target it is refused.
type pair struct {
	target.Option
	questions, answers any
	lack               error
}

// lack is an error where values are not plain data, and have no codec.
func lack[V any](name string, codec target.Codec[V]) error {
	t := reflect.TypeFor[V]()
	if err := layout.Plain(t); err != nil && codec == nil {
		return fmt.Errorf("its %s: %w: give delegate.Coded %s, or another codec of it, in place of nil", name, err,
			codecs.Ready(t))
	}
	return nil
}

// parted makes the options of both targets of those of the program.
func (d *Delegate[Q, A]) parted(options []target.Option) (toAsk, toReply []target.Option, err error) {
	q, a := codecs.Part[Q]{Name: "question"}, codecs.Part[A]{Name: "answer"}
	given, options := codecs.Given(options)
	options = slices.DeleteFunc(options, func(o target.Option) bool {
		p, ok := o.(pair)
		if !ok {
			return false
		}
		err = cmp.Or(err, p.lack)
		if p.questions != nil && !q.Take(p.questions) || p.answers != nil && !a.Take(p.answers) {
			err = cmp.Or(err, fmt.Errorf("delegate.Coded got %T and %T: %v, %v", p.questions, p.answers, &q, &a))
		}
		return true
	})
	if err = cmp.Or(err, codecs.Share(given, &q, &a)); err != nil {
		return nil, nil, err
	}
	d.coded = q.Codec != nil || a.Codec != nil
	toAsk, toReply = slices.Clip(options), slices.Clip(options)
	if q.Codec != nil {
		toAsk = append(toAsk, target.Coded(request.Codec[Q, request.Address](q.Codec)))
	}
	if a.Codec != nil {
		toReply = append(toReply, target.Coded(request.ReplyCodec[A, request.Address](a.Codec)))
	}
	return toAsk, toReply, nil
}
