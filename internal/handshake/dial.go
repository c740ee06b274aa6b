package handshake

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	dialsAtOnce  = 8 // connections that a process dials and greets at the same time, but for slow ones
	dialSlow     = time.Second
	dialPauseMin = 10 * time.Millisecond
	dialPauseMax = 500 * time.Millisecond
)

// RefusalsMax is how many refused greetings end the start. What refuses once may be of another job, whose address was
// free again; but hardly so often.
const RefusalsMax = 5

// Refusals counts the refused greetings of one connection that this process dials.
type Refusals int

// Hopeless reports whether the process need not be dialled again: it has refused this one too often, or is of another
// kind.
func (r *Refusals) Hopeless(err error) bool {
	if errors.Is(err, ErrSecret) || errors.Is(err, ErrEncrypted) {
		*r++
	}
	var mismatch *IdentityError
	return *r >= RefusalsMax || errors.As(err, &mismatch)
}

// Reach dials until dial succeeds, does not ask to do so again, or ctx has ended; with pauses that grow. The error
// says what was wrong with the last try that ctx has not ended.
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

// Dialler bounds how many connections a process dials at the same time: 8, and one more for each that has taken longer
// than a second, so that a host which does not answer holds up no other. Any goroutine may use it.
type Dialler struct{ places chan struct{} }

// NewDialler makes a Dialler.
func NewDialler() *Dialler { return &Dialler{make(chan struct{}, dialsAtOnce)} }

// Reach is [Reach], whose every dial waits for a place first.
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
