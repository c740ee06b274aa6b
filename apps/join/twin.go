package join

// bytesPerKey is the memory of a key while sums are computed.
const bytesPerKey = 32

// byKeys computes the answer for the given number of keys, from first on, by sums over the rows of each key.
func (c Config) byKeys(first, keys uint64) (a Answer) {
	lefts, rights := make([]Answer, keys), make([]Answer, keys)
	for i := range c.Left {
		if row := c.leftRow(i); row.Key-first < keys { // keys below first wrap around
			lefts[row.Key-first].result(row, nil)
		}
	}
	for i := range c.Right {
		if row := c.rightRow(i); row.Key-first < keys {
			rights[row.Key-first].result(row, nil)
		}
	}
	for key, l := range lefts {
		a = a.add(c.Kind.of(l, rights[key]))
	}
	return a
}

// of returns the answer for one key, from the sums over its rows on either side.
func (k Kind) of(l, r Answer) (a Answer) {
	switch {
	case k == Full && l.Results == 0:
		return r
	case k == Inner || k.outer() && r.Results > 0:
		return Answer{l.Results * r.Results, l.Sum * r.Sum}
	case (k == Semi) == (r.Results > 0): // Left, Full and Anti give rows without a right one
		return l
	}
	return a
}

// Serial is Run without a job: a hash join by Go maps.
func Serial(c Config) (a Answer) {
	c = c.complete()
	lefts, rights := map[uint64]bool{}, map[uint64][]Row{}
	for i := range c.Right {
		row := c.rightRow(i)
		rights[row.Key] = append(rights[row.Key], row)
	}
	for i := range c.Left {
		row := c.leftRow(i)
		lefts[row.Key] = true
		with := rights[row.Key]
		if c.Kind == Semi && len(with) > 0 || (c.Kind == Anti || c.Kind.outer()) && len(with) == 0 {
			a.result(row, nil)
		}
		for k := range with {
			if !c.Kind.leftOnly() {
				a.result(row, &with[k])
			}
		}
	}
	for i := range c.Right {
		if row := c.rightRow(i); c.Kind == Full && !lefts[row.Key] {
			a.result(row, nil)
		}
	}
	return a
}
