package pebble

import "github.com/activepebbles/pebbles/internal/engine"

// folded takes part in a reduction of values that a codec carries. join merges this rank's value so far with one that
// has come, of which from makes a new one each time. run is the reduction.
func (c *call[T]) folded(v T, run func(engine.Values, []byte, engine.Fold) ([]byte, error), join func(own T,
	from func() T) T) (T, error) {
	start, err := c.append(nil, v)
	if err != nil {
		return v, c.fail(err)
	}
	result, err := run(c.of, start, func(own, from []byte) []byte {
		joined := join(c.within(own), func() T { return c.within(from) })
		b, err := c.append(own[:0], joined)
		c.leave(err)
		return b
	})
	if err != nil {
		return v, err
	}
	merged, err := c.value(result)
	if err != nil {
		return v, c.fail(err)
	}
	return merged, nil
}

// within is value in the midst of a collective, which an error leaves at once.
func (c *call[T]) within(src []byte) T {
	v, err := c.value(src)
	c.leave(err)
	return v
}

// leave ends the job, and leaves the collective, when there is an error.
func (c *call[T]) leave(err error) {
	if err != nil {
		_ = c.fail(err) // which the collective returns
		c.rank.Leave()
	}
}
