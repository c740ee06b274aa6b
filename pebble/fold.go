package pebble

import "github.com/activepebbles/pebbles/internal/engine"

// fold takes part in a reduction of values that a codec carries, with this rank's encoded value, and returns the
// encoded result; run is the reduction. join merges this rank's value so far with one that has arrived.
func fold[T any](c *call, codec Codec[T], start []byte, run func(engine.Values, []byte, engine.Fold) ([]byte, error),
	join func(own, from T) T) ([]byte, error) {
	within := func(src []byte) T {
		v, err := decode(codec, src)
		c.leave(err)
		return v
	}
	return run(c.of, start, func(own, from []byte) []byte {
		b, err := encode(codec, own[:0], join(within(own), within(from)))
		c.leave(err)
		return b
	})
}
