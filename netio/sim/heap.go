package sim

// ordered is an element of a heap.
type ordered[T any] interface{ before(T) bool }

// heap is a binary heap with its first element on top. The zero value is empty. It allocates only to grow.
type heap[T ordered[T]] []T

func (h *heap[T]) push(v T) {
	*h = append(*h, v)
	all := *h
	for i := len(all) - 1; i > 0; {
		up := (i - 1) / 2
		if !all[i].before(all[up]) {
			return
		}
		all[i], all[up] = all[up], all[i]
		i = up
	}
}

// pop removes and returns the first element. The heap must not be empty.
func (h *heap[T]) pop() T {
	all := *h
	first, last := all[0], len(all)-1
	all[0] = all[last]
	var none T
	all[last] = none
	all = all[:last]
	*h = all
	for i := 0; ; {
		next := i
		for down := 2*i + 1; down <= 2*i+2 && down < last; down++ {
			if all[down].before(all[next]) {
				next = down
			}
		}
		if next == i {
			return first
		}
		all[i], all[next] = all[next], all[i]
		i = next
	}
}
