package board

import "sync"

// interned numbers values, so that an event holds a word for each. Number 0 is the zero value, and any value that
// arrives when the table is full. Any goroutine may use it.
type interned[K comparable] struct {
	mu      sync.RWMutex
	most    int
	all     []K // all[n-1] has number n
	numbers map[K]uint32
}

func (t *interned[K]) number(of K) uint32 {
	t.mu.RLock()
	n, known := t.numbers[of]
	t.mu.RUnlock()
	if known || of == *new(K) {
		return n
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, known = t.numbers[of]; known || len(t.all) == t.most {
		return n
	}
	if t.numbers == nil {
		t.numbers = map[K]uint32{}
	}
	t.all = append(t.all, of)
	t.numbers[of] = uint32(len(t.all))
	return uint32(len(t.all))
}

// of returns the value with a number.
func (t *interned[K]) of(number uint32) (k K) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if number > 0 && int(number) <= len(t.all) {
		k = t.all[number-1]
	}
	return k
}
