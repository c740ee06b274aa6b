package epochs

import (
	"cmp"
	"fmt"
)

// Config is what a run can be told. The zero value is a run with all defaults.
type Config struct {
	Count   uint64 // epochs. 0 is 1,000
	Pebbles uint64 // that each rank sends in each of them to the rank after it
	// Progress, when not nil, is called on rank 0, about a hundred times, with the epochs that have ended, and all.
	Progress func(done, total uint64)
}

const (
	countDefault = 1000
	pebblesMax   = 1 << 56 // of each rank
)

func (c Config) withDefaults() Config {
	c.Count = cmp.Or(c.Count, countDefault)
	return c
}

// Check returns an error that says what is wrong with c.
func (c Config) Check() error {
	if c.Pebbles > pebblesMax/c.withDefaults().Count {
		return fmt.Errorf("epochs: %d pebbles in each of %d epochs are too many: give less", c.Pebbles, c.withDefaults().Count)
	}
	return nil
}
