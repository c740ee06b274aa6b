package netio

import "sync/atomic"

// Frames is a queue of frames, chained by their links: it allocates nothing. It belongs to one goroutine. The zero
// value is empty.
type Frames struct{ head, tail *Frame }

// Empty reports whether no frame is in the queue.
func (q *Frames) Empty() bool { return q.head == nil }

// First is the oldest frame, which stays in the queue; nil when there is none.
func (q *Frames) First() *Frame { return q.head }

// Len counts the frames in the queue, one after the other.
func (q *Frames) Len() (n int) {
	for f := q.head; f != nil; f = f.in.Next {
		n++
	}
	return n
}

// Push puts a frame at the end. Its owner must not link it elsewhere meanwhile.
func (q *Frames) Push(f *Frame) {
	f.in.Next = nil
	if q.tail == nil {
		q.head = f
	} else {
		q.tail.in.Next = f
	}
	q.tail = f
}

// PushFront puts a frame before all others.
func (q *Frames) PushFront(f *Frame) {
	if f.in.Next = q.head; q.head == nil {
		q.tail = f
	}
	q.head = f
}

// Shift takes out the oldest frame; nil when there is none.
func (q *Frames) Shift() *Frame {
	f := q.head
	if f == nil {
		return nil
	}
	if q.head = f.in.Next; q.head == nil {
		q.tail = nil
	}
	f.in.Next = nil
	return f
}

// ShiftOr is Shift for a queue that takes all from a stack when it is empty, whose taker its owner is. It returns the
// frame behind as well, which stays in the queue; nil when there is none.
func (q *Frames) ShiftOr(s *Stack) (f, next *Frame) {
	if q.head == nil {
		if s.top.Load() == nil {
			return nil, nil
		}
		*q = s.Take()
	}
	f = q.Shift() // first: it changes the head
	return f, q.head
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

// Stack holds frames for one taker; any goroutine may push. The taker takes all at once, so that no frame can come back
// to the top while another goroutine looks at it. It allocates nothing. The zero value is empty.
type Stack struct{ top atomic.Pointer[Frame] }

// Push reports whether the stack was empty.
func (s *Stack) Push(f *Frame) (first bool) {
	for {
		top := s.top.Load()
		f.in.Next = top
		if s.top.CompareAndSwap(top, f) {
			return top == nil
		}
	}
}

// Empty reports whether no frame is in the stack. It costs one load.
func (s *Stack) Empty() bool { return s.top.Load() == nil }

// Take takes all frames out, oldest first. It costs one load when there is none.
func (s *Stack) Take() Frames {
	last := s.takeAll()
	q := Frames{tail: last}
	for f := last; f != nil; {
		next := f.in.Next
		f.in.Next = q.head
		q.head, f = f, next
	}
	return q
}

// TakeNewest takes all frames out, newest first. A pool that gets them back in this order lends first the frames that
// are still in a cache.
func (s *Stack) TakeNewest() Frames {
	q := Frames{head: s.takeAll()}
	for f := q.head; f != nil; f = f.in.Next {
		q.tail = f
	}
	return q
}

// takeAll returns a list of all frames, newest first.
func (s *Stack) takeAll() *Frame {
	if s.top.Load() == nil {
		return nil
	}
	return s.top.Swap(nil)
}
