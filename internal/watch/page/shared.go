package page

import (
	"sync"
	"time"
)

// once is for how long what has been made serves all who ask.
const once = time.Second

// shared is a value that is made when somebody asks for it, by one at a time, and at most once a second.
type shared[T any] struct {
	mu    sync.Mutex
	make  func() T
	made  time.Time // when value was finished
	value T
}

func (s *shared[T]) get() T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made.IsZero() || time.Since(s.made) >= once {
		s.value = s.make()
		s.made = time.Now()
	}
	return s.value
}

// each is a shared value that nobody has made yet.
func each[T any](make func() T) *shared[T] { return &shared[T]{make: make} }
