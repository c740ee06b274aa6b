package handshake

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	dialsAtOnce  = 8 // connections that a process dials and greets at once, not counting slow ones
	dialSlow     = time.Second
	dialPauseMin = 10 * time.Millisecond
	dialPauseMax = 500 * time.Millisecond
)

// RefusalsMax is the number of refused greetings that ends the start. One refusal may come from another job that reused
// the address; several hardly do.
const RefusalsMax = 5

// Refusals counts the refused greetings of one connection that this process dials.
type Refusals int

// Hopeless reports whether dialling the process again is useless: it has refused this one too often, or its identity
// differs.
func (r *Refusals) Hopeless(err error) bool {
	if errors.Is(err, ErrSecret) || errors.Is(err, ErrEncrypted) {
		*r++
	}
	var mismatch *IdentityError
	return *r >= RefusalsMax || errors.As(err, &mismatch)
}

// Reach dials, with growing pauses, until dial succeeds, returns again as false, or ctx has ended. The error is that of
// the last try that ctx did not end.
func Reach(ctx context.Context, dial func(context.Context) (again bool, err error)) (why error) {
	for pause := dialPauseMin; ; pause = min(2*pause, dialPauseMax) {
		again, err := dial(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || why == nil {
			why = err
		}
		if !again {
			return why
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return why
		}
	}
}

// Dialler bounds the connections that a process dials at once: 8, and one more for each that has taken longer than a
// second, so that a host that does not answer holds up no other. Any goroutine may use it.
type Dialler struct{ places chan struct{} }

// NewDialler makes a Dialler.
func NewDialler() *Dialler { return &Dialler{make(chan struct{}, dialsAtOnce)} }

// Reach is [Reach], but every dial first waits for a place.
func (d *Dialler) Reach(ctx context.Context, dial func(context.Context) (again bool, err error)) error {
	return Reach(ctx, func(ctx context.Context) (again bool, err error) {
		select {
		case d.places <- struct{}{}:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
		leave := sync.OnceFunc(func() { <-d.places })
		defer leave()
		defer time.AfterFunc(dialSlow, leave).Stop()
		return dial(ctx)
	})
}
