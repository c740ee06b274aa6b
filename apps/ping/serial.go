package ping

// Serial is the streams without a job: how many messages each rank gets, and the sum of all their words. The
// configuration must pass Check.
func Serial(ranks int, c Config) (counts, sums []uint64) {
	c = c.withDefaults()
	s := streams{ranks}
	counts, sums = make([]uint64, ranks), make([]uint64, ranks)
	for rank := range s.count() {
		to, _ := s.from(rank)
		for number := range c.Messages {
			word := contents{c.Seed}.first(number)
			sums[to] += head(uint64(to), number)
			for range c.Bytes/8 - 1 {
				sums[to] += word
				word++
			}
			counts[to]++
		}
	}
	return counts, sums
}
