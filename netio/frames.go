package netio

// Frames is a queue of frames, chained by their links: it allocates nothing. It belongs to one goroutine. The zero value
// is empty.
type Frames struct{ head, tail *Frame }

// Empty tells that no frame is in the queue.
func (q *Frames) Empty() bool { return q.head == nil }

// Push puts a frame at the end. Its owner must not link it elsewhere meanwhile.
func (q *Frames) Push(f *Frame) {
	f.next = nil
	if q.tail == nil {
		q.head = f
	} else {
		q.tail.next = f
	}
	q.tail = f
}

// Shift takes out the oldest frame; nil when there is none.
func (q *Frames) Shift() *Frame {
	f := q.head
	if f == nil {
		return nil
	}
	if q.head = f.next; q.head == nil {
		q.tail = nil
	}
	f.next = nil
	return f
}

// Move takes all frames out, into a queue of their own.
func (q *Frames) Move() Frames {
	all := *q
	*q = Frames{}
	return all
}

// Release gives all frames back.
func (q *Frames) Release() {
	for f := q.Shift(); f != nil; f = q.Shift() {
		f.Release()
	}
}
