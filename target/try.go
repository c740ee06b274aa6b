package target

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// TryEach is [Each] for a handler that needs its own target, to send pebbles on, or that may fail. t is the target that
// [New] returns. The first error ends the job, on every rank, with a [HandlerError] that names the rank, the target and
// the pebble; later pebbles of the batch are not handled.
func TryEach[V any](handle func(t *Target[V], v V) error) Handling[V] {
	if handle == nil {
		return Handling[V]{} // registration refuses it
	}
	return TryBatch(func(t *Target[V], vs []V) error {
		for i := range vs {
			if err := handle(t, vs[i]); err != nil {
				return PebbleError(i, err)
			}
		}
		return nil
	})
}

// TryBatch is [Batch] for a handler that needs its own target, or that may fail: see [TryEach]. It costs one more call
// per batch than Batch, and allocates nothing. [PebbleError] names the pebble of an error; otherwise the error names
// the first of the batch.
func TryBatch[V any](handle func(t *Target[V], vs []V) error) Handling[V] {
	if handle == nil {
		return Handling[V]{}
	}
	return Handling[V]{bind: func(t *Target[V]) func(vs pebbles) {
		return func(vs pebbles) {
			if err := handle(t, values[V](vs)); err != nil {
				t.core.failHandler(vs, err)
			}
		}
	}}
}

// PebbleError attributes the error of a [TryBatch] handler to the pebble with index i of its batch.
func PebbleError(i int, err error) error { return &atError{i, err} }

type atError struct {
	index int
	err   error
}

func (e *atError) Error() string { return fmt.Sprintf("pebble %d of its batch: %v", e.index, e.err) }
func (e *atError) Unwrap() error { return e.err }

// HandlerError is the error of a job that ended because a handler returned one.
type HandlerError struct {
	Rank   int
	Target string
	Pebble string // as fmt's %+v writes it, cut to 200 bytes
	Batch  int    // number of the handler's pebbles, if any of them may be meant and Pebble is the first; otherwise 0
	Err    error  // the error of the handler
}

func (e *HandlerError) Error() string {
	which := "pebble " + e.Pebble
	if e.Batch > 0 {
		which = fmt.Sprintf("a batch of %d pebbles from %s on", e.Batch, e.Pebble)
	}
	return fmt.Sprintf("rank %d: target %q: handle %s: %v", e.Rank, e.Target, which, e.Err)
}

// Unwrap returns the error of the handler.
func (e *HandlerError) Unwrap() error { return e.Err }

// failHandler ends the job with the error of a batch's handler.
func (c *core) failHandler(vs pebbles, err error) {
	e := &HandlerError{Rank: c.engine.Rank.ID(), Target: c.engine.Name, Err: err}
	if at, ok := errors.AsType[*atError](err); ok && at.index >= 0 && at.index < vs.n {
		e.Pebble = pebbleText(c.element.value(vs, at.index))
		if err == error(at) {
			e.Err = at.err
		}
	} else {
		e.Pebble = pebbleText(c.element.value(vs, 0))
		if vs.n > 1 {
			e.Batch = vs.n
		}
	}
	c.engine.Rank.Fail(e)
}

// pebbleTextMax is the maximum length of a pebble's text in an error, in bytes.
const pebbleTextMax = 200

// pebbleText returns a pebble as one line of at most pebbleTextMax bytes.
func pebbleText(pebble any) string {
	const end = "..."
	text := fmt.Sprintf("%+v", pebble)
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= pebbleTextMax {
		return text
	}
	n := pebbleTextMax - len(end)
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + end
}
