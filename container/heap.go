package container

// heap is a binary heap of numbers, whose first one comes before all others.
type heap struct {
	numbers []int
	before  func(a, b int) bool
}

func (h *heap) push(v int) {
	h.numbers = append(h.numbers, v)
	for i := len(h.numbers) - 1; i > 0 && h.before(h.numbers[i], h.numbers[(i-1)/2]); i = (i - 1) / 2 {
		h.numbers[i], h.numbers[(i-1)/2] = h.numbers[(i-1)/2], h.numbers[i]
	}
}

// fix comes after what the first number stands for has changed.
func (h *heap) fix() {
	for i := 0; ; {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.numbers); child++ {
			if h.before(h.numbers[child], h.numbers[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.numbers[i], h.numbers[first] = h.numbers[first], h.numbers[i]
		i = first
	}
}

// drop removes the first number.
func (h *heap) drop() {
	last := len(h.numbers) - 1
	h.numbers[0] = h.numbers[last]
	h.numbers = h.numbers[:last]
	if last > 0 {
		h.fix()
	}
}
