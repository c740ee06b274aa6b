package netio

import (
	"sync/atomic"
	"time"
)

// promises makes sure that promised frames are written although the ranks that sent them are busy with something else.
type promises struct {
	late  *time.Timer
	armed atomic.Bool // late runs; to set it for each frame would cost too much
}

// promiseMax is how long a promised frame may wait.
const promiseMax = time.Millisecond

func (p *promises) init(t *TCP) {
	p.late = time.AfterFunc(time.Hour, func() {
		p.armed.Store(false) // whoever promises from now on sets it again
		for _, l := range t.lanes {
			if l.promised.Load() {
				l.flush()
			}
		}
	})
	p.late.Stop()
}

func (p *promises) arm() {
	if !p.armed.Load() && !p.armed.Swap(true) {
		p.late.Reset(promiseMax)
	}
}
