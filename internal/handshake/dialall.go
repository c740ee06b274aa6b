package handshake

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	dialsAtOnce  = 8 // connections that a process dials and greets at the same time
	dialPauseMin = 10 * time.Millisecond
	dialPauseMax = 500 * time.Millisecond
)

// RefusalsMax is how many refused greetings end the start. What refuses once may be of another job, whose address was
// free again; but hardly so often.
const RefusalsMax = 5

// Contact is a connection that this process dials.
type Contact struct {
	Process  int // the one that is dialled
	Lane     uint8
	Refusals int           // greetings that were refused
	pause    time.Duration // before the next try
}

// Hopeless reports whether the process need not be dialled again: it has refused this one too often, or is of another
// kind.
func (c *Contact) Hopeless(err error) bool {
	if errors.Is(err, ErrSecret) || errors.Is(err, ErrEncrypted) {
		c.Refusals++
	}
	var mismatch *IdentityError
	return c.Refusals >= RefusalsMax || errors.As(err, &mismatch)
}

// nextPause is the pause before the next try. It grows.
func (c *Contact) nextPause() time.Duration {
	c.pause = min(max(dialPauseMin, 2*c.pause), dialPauseMax)
	return c.pause
}

// Reach dials until dial succeeds, does not ask to do so again, or ctx has ended; with pauses that grow. The error
// says what was wrong with the last try that ctx has not ended.
func Reach(ctx context.Context, dial func(context.Context) (again bool, err error)) (why error) {
	for c := new(Contact); ; {
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
		case <-time.After(c.nextPause()):
		case <-ctx.Done():
			return why
		}
	}
}

// DialAll dials in the given order, at most dialsAtOnce at the same time. A Contact for which dial returns true is
// dialled again after a pause that grows. It returns when ctx has ended.
func DialAll(ctx context.Context, contacts []*Contact, dial func(context.Context, *Contact) (again bool)) {
	queue := make(chan *Contact, len(contacts))
	for _, c := range contacts {
		queue <- c
	}
	var workers sync.WaitGroup
	for range min(dialsAtOnce, len(contacts)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				select {
				case <-ctx.Done():
				case c := <-queue:
					if dial(ctx, c) {
						time.AfterFunc(c.nextPause(), func() { queue <- c })
					}
				}
			}
		})
	}
	workers.Wait()
}
