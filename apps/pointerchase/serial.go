package pointerchase

// Serial is PointerChase without a job: the ranks that the message comes to, step by step. The configuration must pass
// Check.
func Serial(ranks int, c Config) (visited []int) {
	c = c.withDefaults()
	g := newRing(ranks, c.Seed)
	order := make([]int, ranks)
	for rank := range order {
		order[g.position(uint64(rank))] = rank
	}
	for range c.Rounds {
		visited = append(visited, order[1:]...)
		visited = append(visited, order[0])
	}
	return visited
}
