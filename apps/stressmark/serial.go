package stressmark

// SerialPointer is Pointer without a job: how the chase of each rank goes. The configuration must pass Check, here and
// below.
func SerialPointer(ranks int, c PointerConfig) (all []Trace) {
	c = c.withDefaults()
	for rank := range ranks {
		all = append(all, c.serial(rank))
	}
	return all
}

// serial is the chase of one rank, through words that are worked out when they are read.
func (c PointerConfig) serial(rank int) Trace {
	return c.follow(c.chaseOf(rank), func(at uint64, window []uint64) {
		for i := range window {
			window[i] = c.word(at + uint64(i))
		}
	}, nil, nil)
}

// SerialUpdate is Update without a job: how the chase goes, and the whole field after it.
func SerialUpdate(c PointerConfig) (Trace, []uint64) {
	c = c.withDefaults()
	field := make([]uint64, c.Words)
	for i := range field {
		field[i] = c.word(uint64(i))
	}
	t := c.follow(c.chaseOf(0), func(at uint64, window []uint64) { copy(window, field[at:]) },
		func(at, word uint64) { field[at] = word }, nil)
	return t, field
}

// SerialField is Field without a job: what is found of each token, and the whole field after all of them.
func SerialField(c FieldConfig) ([]Token, []byte) {
	c = c.withDefaults()
	field := c.bytes(0, c.Bytes)
	var all []Token
	for i := range c.Tokens {
		text := c.token(i)
		t, open := newToken(text), samples{}
		before := append([]byte(nil), field...)
		for at := 0; at < len(field); {
			if string(field[at:min(at+len(text), len(field))]) != string(text) {
				open.add(field[at])
				at++
				continue
			}
			t.add(open, uint64(at))
			open = samples{}
			for range text {
				field[at] = c.changed(before[at], before[(at+c.Offset)%len(field)])
				at++
			}
		}
		t.add(open, c.Bytes)
		all = append(all, t)
	}
	return all, field
}

// SerialNeighborhood is Neighborhood without a job.
func SerialNeighborhood(c NeighborhoodConfig) (all []Texture) {
	c = c.withDefaults()
	image := c.draw(0, c.Side)
	for k, way := range c.ways() {
		h := newHistogram(c.Bits)
		for y := range c.Side {
			for x := range c.Side {
				otherX, otherY := x+way.right, y+way.down
				if otherX < 0 || otherX >= c.Side || otherY >= c.Side {
					continue
				}
				h.add(image[y*c.Side+x], image[otherY*c.Side+otherX])
			}
		}
		all = append(all, h.texture(c.ways()[k]))
	}
	return all
}
