package bootstrap

import (
	"context"
	"fmt"
	"strconv"
	"sync"
)

// Board is where the processes of a job leave what all others may read. After Post many goroutines may call Read.
type Board interface {
	// Post leaves this process's card. All processes call it.
	Post(ctx context.Context, process int, card string) error
	// Read returns a process's card, after Post. Where cards come at different times, it waits for it until ctx ends.
	Read(ctx context.Context, process int) (string, error)
}

// Values is a launcher's key-value store: what was put before a barrier can be got after it.
type Values interface {
	Put(ctx context.Context, key, value string) error
	Barrier(ctx context.Context) error
	Get(ctx context.Context, key string) (string, error)
}

// Store is a [Board] in a launcher's key-value store.
type Store struct {
	mu     sync.Mutex
	values Values
}

// NewStore is a board in a store that is used by one goroutine at a time.
func NewStore(v Values) *Store { return &Store{values: v} }

func keyOf(process int) string { return "pebbles-" + strconv.Itoa(process) }

// Post implements [Board]. It returns when all processes have called it.
func (s *Store) Post(ctx context.Context, process int, card string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.values.Put(ctx, keyOf(process), card); err != nil {
		return err
	}
	if err := s.values.Barrier(ctx); err != nil {
		return fmt.Errorf("%w; does each task of the launcher run this program, and does it call pebble.Main?", err)
	}
	return nil
}

// Read implements [Board].
func (s *Store) Read(ctx context.Context, process int) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values.Get(ctx, keyOf(process))
}
