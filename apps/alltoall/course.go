package alltoall

// course is the order in which a rank sends its items: round by round, and in each to all other ranks, from the one
// after it once around. It is for two ranks or more.
type course struct {
	self, ranks uint32
	to          uint32 // the rank of the last item
	round       uint64
}

func newCourse(self, ranks int) course {
	return course{self: uint32(self), ranks: uint32(ranks), to: uint32(self)}
}

// next advances by one item.
func (c *course) next() (to uint32, round uint64) {
	if c.step() == c.self {
		c.round++
		c.step()
	}
	return c.to, c.round
}

func (c *course) step() (to uint32) {
	c.to++
	if c.to == c.ranks {
		c.to = 0
	}
	return c.to
}
