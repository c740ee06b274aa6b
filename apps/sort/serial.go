package sort

import "slices"

// Serial is Run for numbers without a job. It returns all numbers in order.
func Serial(c Config) []uint64 {
	c = c.complete()
	numbers := make([]uint64, c.Numbers)
	for i := range numbers {
		numbers[i] = c.number(uint64(i))
	}
	slices.Sort(numbers)
	return numbers
}
