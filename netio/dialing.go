package netio

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

// contact is a connection that this process dials.
type contact struct {
	process  int // the one that is dialled
	lane     uint8
	refusals int
	pause    time.Duration // before the next try
}

// dialAll dials in the given order, at most dialsAtOnce at the same time. A contact for which dial returns true is dialled
// again after a pause that grows. It returns when ctx has ended.
func dialAll(ctx context.Context, contacts []*contact, dial func(context.Context, *contact) (again bool)) {
	queue := make(chan *contact, len(contacts))
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
