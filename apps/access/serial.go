package access

// Serial is a run of Gather without a job: the words that a rank reads, in order, or the last one that its chain does.
// The configuration must pass Check.
func Serial(rank, ranks int, c GatherConfig) []uint64 {
	c = c.withDefaults()
	d, read, all := c.draw(rank, ranks), uint64(0), []uint64(nil)
	for range c.Accesses {
		if !c.chained() {
			all = append(all, word(c.Seed, d.next(0)))
			continue
		}
		read = word(c.Seed, d.next(read))
	}
	if c.chained() {
		all = append(all, read)
	}
	return all
}

func (c GatherConfig) chained() bool { return c.Way == Chain || c.Way == LoadChain }

// writes reports whether words are written.
func (c GatherConfig) writes() bool { return c.Way == ByScatter || c.Way == ByPut }
