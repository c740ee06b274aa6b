package pebble

import "github.com/activepebbles/pebbles/netio"

// queue of frames, oldest first, chained by their links.
type frames struct{ head, tail *netio.Frame }

func (q *frames) push(f *netio.Frame) {
	f.SetNext(nil)
	if q.tail == nil {
		q.head = f
	} else {
		q.tail.SetNext(f)
	}
	q.tail = f
}

func (q *frames) takeAll() *netio.Frame {
	f := q.head
	*q = frames{}
	return f
}

// hold keeps a frame whose pebbles may have to go on over links that wait for credit. Its sender's credit bounds how many
// there are.
func (r *Rank) hold(f *netio.Frame) {
	r.counters.Held++
	r.held.push(f)
}

// retry takes in the held frames that can be taken in now, and tells whether there were any.
func (r *Rank) retry() bool {
	worked := false
	for f := r.held.takeAll(); f != nil; {
		next := f.Next()
		f.SetNext(nil)
		if r.endpoints[f.Target].Accepts(f) {
			r.take(f)
			worked = true
		} else {
			r.held.push(f)
		}
		f = next
	}
	return worked
}
