package netio

import "sync/atomic"

// stack holds frames for one taker; anybody may push. The taker takes all at once, so that no frame can come back to
// the top while somebody looks at it.
type stack struct{ top atomic.Pointer[Frame] }

// push reports whether the stack was empty.
func (s *stack) push(f *Frame) (first bool) {
	for {
		top := s.top.Load()
		f.next = top
		if s.top.CompareAndSwap(top, f) {
			return top == nil
		}
	}
}

func (s *stack) empty() bool { return s.top.Load() == nil }

// takeAll returns the frames, last pushed first.
func (s *stack) takeAll() *Frame {
	if s.top.Load() == nil {
		return nil
	}
	return s.top.Swap(nil)
}

func reverse(f *Frame) *Frame {
	var done *Frame
	for f != nil {
		next := f.next
		f.next = done
		done, f = f, next
	}
	return done
}

// releaseAll gives a whole list back.
func releaseAll(f *Frame) {
	for f != nil {
		next := f.next
		f.Release()
		f = next
	}
}
