package target

import (
	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// queue holds what handlers send to their own rank, so that a send in a handler never runs another handler. While handlers
// run, its lane stands in for the lane that the main function uses for pebbles of its own rank.
type queue struct {
	lane      coalesce.Lane // the one that is not in use now: the queue's, or the main function's
	frame     *netio.Frame  // what the queue's lane fills; nil when the lane has none
	waiting   netio.Frames  // sealed
	installed bool
}

// install puts the queue's lane in place of *own until remove is called. It tells whether it was not there already.
func (q *queue) install(own *coalesce.Lane) bool {
	if q.installed {
		return false
	}
	q.lane, *own = *own, q.lane
	q.installed = true
	return true
}

func (q *queue) remove(own *coalesce.Lane, did bool) {
	if did {
		q.lane, *own = *own, q.lane
		q.installed = false
	}
}

// seal moves the frame that the lane fills to the end of the queue.
func (q *queue) seal(count, bytes int) {
	f := q.frame
	q.frame = nil
	f.Count, f.Bytes = uint32(count), uint32(bytes)
	q.waiting.Push(f)
}
