package pointerchase

import (
	"cmp"
	"fmt"
)

// Config is what a run of PointerChase can be told. The zero value is a run with all defaults.
type Config struct {
	// Rounds is how many times the message goes around the ring. 0 is 1,000.
	Rounds uint64
	// Seed names the ring. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0, about a hundred times, with the number of times that the message has
	// come there, and that it will.
	Progress func(done, total uint64)
}

const (
	roundsDefault = 1000
	hopsMax       = 1 << 60
)

func (c Config) withDefaults() Config {
	c.Rounds = cmp.Or(c.Rounds, roundsDefault)
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	switch {
	case ranks <= 0:
		return fmt.Errorf("pointerchase: %d ranks: a job has at least one", ranks)
	case c.Rounds > hopsMax/uint64(ranks):
		return fmt.Errorf("pointerchase: %d rounds of %d ranks are too many: give less", c.Rounds, ranks)
	}
	return nil
}
