package pebble

import "github.com/activepebbles/pebbles/internal/engine"

// fold takes part in a reduction of values that a codec carries; run is the reduction. join merges this rank's value so
// far with one that has arrived. from decodes the latter at each call.
func fold[T any](c *call, codec Codec[T], v T, run func(engine.Values, []byte, engine.Fold) ([]byte, error),
	join func(own T, from func() T) T) (T, error) {
	start, err := encode(codec, nil, v)
	if err != nil {
		return v, c.fail(err)
	}
	within := func(src []byte) T {
		v, err := decode(codec, src)
		c.leave(err)
		return v
	}
	result, err := run(c.of, start, func(own, from []byte) []byte {
		joined := join(within(own), func() T { return within(from) })
		b, err := encode(codec, own[:0], joined)
		c.leave(err)
		return b
	})
	if err != nil {
		return v, err
	}
	merged, err := decode(codec, result)
	if err != nil {
		return v, c.fail(err)
	}
	return merged, nil
}
