package task

// ring is a queue that grows.
type ring[T any] struct {
	items       []T // length is a power of two
	first, size int
}

func (r *ring[T]) push(v T) {
	if r.size == len(r.items) {
		r.grow()
	}
	r.items[(r.first+r.size)&(len(r.items)-1)] = v
	r.size++
}

func (r *ring[T]) pop() (v T) {
	at := &r.items[r.first]
	v = *at
	*at = *new(T) // releases its memory
	r.first = (r.first + 1) & (len(r.items) - 1)
	r.size--
	return v
}

// at returns item i of the queue.
func (r *ring[T]) at(i int) T { return r.items[(r.first+i)&(len(r.items)-1)] }

func (r *ring[T]) grow() {
	larger := make([]T, max(16, 2*r.size))
	for i := range r.size {
		larger[i] = r.items[(r.first+i)&(len(r.items)-1)]
	}
	r.items, r.first = larger, 0
}
