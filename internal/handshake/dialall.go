package handshake

import (
	"context"
	"sync"
	"time"
)

const (
	dialsAtOnce  = 8 // connections that a process dials and greets at the same time
	dialPauseMin = 10 * time.Millisecond
	dialPauseMax = 500 * time.Millisecond
)

// RefusalsMax is how many refused greetings end the start. One that was refused may have been crowded out by strangers, but
// hardly so often.
const RefusalsMax = 5

// Contact is a connection that this process dials.
type Contact struct {
	Process  int // the one that is dialled
	Lane     uint8
	Refusals int           // greetings that were refused
	pause    time.Duration // before the next try
}

// DialAll dials in the given order, at most dialsAtOnce at the same time. A Contact for which dial returns true is dialled
// again after a pause that grows. It returns when ctx has ended.
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
						c.pause = min(max(dialPauseMin, 2*c.pause), dialPauseMax)
						time.AfterFunc(c.pause, func() { queue <- c })
					}
				}
			}
		})
	}
	workers.Wait()
}
