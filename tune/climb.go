package tune

// climb searches a list in order for the best value by steps up and down from where it stands, at first of two places
// and then of one. Where the best is a single hill it is found in about as many steps as it is places away, and three
// more.
type climb struct {
	at, size   int
	step       int
	up         bool // the direction that is tried
	turned     bool // the other direction has been tried from here with this step
	seen       map[int]bool
	terminated bool
}

func newClimb(at, size int, up bool) *climb {
	return &climb{at: at, size: size, step: 2, up: up, seen: map[int]bool{at: true}}
}

// next is the place to try; false when there is none left.
func (c *climb) next() (place int, ok bool) {
	for !c.terminated {
		place = c.at + c.step
		if !c.up {
			place = c.at - c.step
		}
		if place >= 0 && place < c.size && !c.seen[place] {
			return place, true
		}
		c.turn()
	}
	return 0, false
}

// tried takes the result of a place.
func (c *climb) tried(place int, better bool) {
	c.seen[place] = true
	if better {
		c.at, c.turned = place, false
		return
	}
	c.turn()
}

// turn reverses the direction, and after both directions takes smaller steps.
func (c *climb) turn() {
	c.up = !c.up
	if !c.turned {
		c.turned = true
		return
	}
	c.turned = false
	if c.step--; c.step == 0 {
		c.terminated = true
	}
}
