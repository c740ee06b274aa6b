package container

// heap is a binary heap: its first element comes before all others.
type heap[T any] struct {
	elements []T
	before   func(a, b T) bool
}

func (h *heap[T]) push(v T) {
	h.elements = append(h.elements, v)
	for i := len(h.elements) - 1; i > 0 && h.before(h.elements[i], h.elements[(i-1)/2]); i = (i - 1) / 2 {
		h.elements[i], h.elements[(i-1)/2] = h.elements[(i-1)/2], h.elements[i]
	}
}

// fix comes after the first element has changed.
func (h *heap[T]) fix() {
	for i := 0; ; {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.elements); child++ {
			if h.before(h.elements[child], h.elements[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.elements[i], h.elements[first] = h.elements[first], h.elements[i]
		i = first
	}
}

// drop removes the first element.
func (h *heap[T]) drop() {
	last := len(h.elements) - 1
	h.elements[0] = h.elements[last]
	clear(h.elements[last:])
	h.elements = h.elements[:last]
	if last > 0 {
		h.fix()
	}
}
