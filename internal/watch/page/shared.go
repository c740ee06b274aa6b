package page

import (
	"sync"
	"time"
)

// once is the time for which a value is reused.
const once = time.Second

// shared is a value that is made on request, by one goroutine at a time, at most once a second.
type shared[T any] struct {
	mu    sync.Mutex
	make  func() T
	made  time.Time // time at which value was finished
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

// each returns a shared value that has not been made.
func each[T any](make func() T) *shared[T] { return &shared[T]{make: make} }
