package container

// ranking is a heap of numbers for container/heap. The first number comes before all others.
type ranking struct {
	numbers []int
	before  func(a, b int) bool
}

func (r *ranking) first() int         { return r.numbers[0] }
func (r *ranking) Len() int           { return len(r.numbers) }
func (r *ranking) Less(i, j int) bool { return r.before(r.numbers[i], r.numbers[j]) }
func (r *ranking) Swap(i, j int)      { r.numbers[i], r.numbers[j] = r.numbers[j], r.numbers[i] }
func (r *ranking) Push(n any)         { r.numbers = append(r.numbers, n.(int)) }

func (r *ranking) Pop() any {
	last := len(r.numbers) - 1
	n := r.numbers[last]
	r.numbers = r.numbers[:last]
	return n
}
