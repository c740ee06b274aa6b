package alltoall

// Serial is the all-to-all without a job: by receiver, how many items come to it, and the sum of the marks of their
// first words modulo 2^64. The configuration must pass Check.
func Serial(ranks int, c Config) (came, sums []uint64) {
	c = c.withDefaults(ranks)
	p := pattern{c.Seed}
	came, sums = make([]uint64, ranks), make([]uint64, ranks)
	for from := range ranks {
		for round := range c.Rounds {
			for to := range ranks {
				if to != from {
					came[to]++
					sums[to] += mark(p.first(uint32(from), uint32(to), round))
				}
			}
		}
	}
	return came, sums
}
