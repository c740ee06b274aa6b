package netio

import "sync/atomic"

// Frames is a queue of linked frames. It allocates nothing and belongs to one goroutine. The zero value is empty.
type Frames struct{ head, tail *Frame }

// Empty reports whether the queue is empty.
func (q *Frames) Empty() bool { return q.head == nil }

// First returns the oldest frame, which stays in the queue, or nil if the queue is empty.
func (q *Frames) First() *Frame { return q.head }

// Len returns the number of frames in the queue. Its cost is linear.
func (q *Frames) Len() (n int) {
	for f := q.head; f != nil; f = f.in.Next {
		n++
	}
	return n
}

// Push appends a frame. Its owner must not link it elsewhere while it is queued.
func (q *Frames) Push(f *Frame) {
	f.in.Next = nil
	if q.tail == nil {
		q.head = f
	} else {
		q.tail.in.Next = f
	}
	q.tail = f
}

// PushFront puts a frame at the front.
func (q *Frames) PushFront(f *Frame) {
	if f.in.Next = q.head; q.head == nil {
		q.tail = f
	}
	q.head = f
}

// Shift removes and returns the oldest frame, or returns nil if the queue is empty.
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

// ShiftOr is Shift for a queue that is refilled from a stack when it is empty. The queue's owner must be the stack's
// taker. It also returns the next frame, which stays in the queue, or nil.
func (q *Frames) ShiftOr(s *Stack) (f, next *Frame) {
	if q.head == nil {
		if s.top.Load() == nil {
			return nil, nil
		}
		*q = s.Take()
	}
	f = q.Shift() // comes first, because it changes the head
	return f, q.head
}

// Move moves all frames into a new queue.
func (q *Frames) Move() Frames {
	all := *q
	*q = Frames{}
	return all
}

// Release releases all frames.
func (q *Frames) Release() {
	for f := q.Shift(); f != nil; f = q.Shift() {
		f.Release()
	}
}

// Stack holds frames for one taker; any goroutine may push. The taker takes all frames at once, so that no frame can
// return to the top while another goroutine looks at it. Stack allocates nothing. The zero value is empty.
type Stack struct{ top atomic.Pointer[Frame] }

// Push adds a frame and reports whether the stack was empty.
func (s *Stack) Push(f *Frame) (first bool) {
	for {
		top := s.top.Load()
		f.in.Next = top
		if s.top.CompareAndSwap(top, f) {
			return top == nil
		}
	}
}

// Empty reports whether the stack is empty. It costs one load.
func (s *Stack) Empty() bool { return s.top.Load() == nil }

// Take removes all frames and returns them oldest first. It costs one load when the stack is empty.
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

// TakeNewest removes all frames and returns them newest first. A pool that gets them in this order first lends frames
// that are still in a cache.
func (s *Stack) TakeNewest() Frames {
	q := Frames{head: s.takeAll()}
	for f := q.head; f != nil; f = f.in.Next {
		q.tail = f
	}
	return q
}

// takeAll removes all frames and returns them as a list, newest first.
func (s *Stack) takeAll() *Frame {
	if s.top.Load() == nil {
		return nil
	}
	return s.top.Swap(nil)
}
