package permutation

import (
	"cmp"
	"fmt"
)

// Config is what a run of Permutation can be told. The zero value is a run with all defaults.
type Config struct {
	// Log2Elements is the binary logarithm of the elements of each rank; an element has 8 bytes in each of three arrays. 0
	// is 20, 24 MiB.
	Log2Elements int
	// Seed names the permutations. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with the number of elements that rank 0 has sent, and will
	// have sent at the end.
	Progress func(done, total uint64)
}

const (
	log2ElementsDefault = 20
	log2ElementsMax     = 36
	elementsMax         = 1 << 60 // of the whole job
)

func (c Config) withDefaults() Config {
	c.Log2Elements = cmp.Or(c.Log2Elements, log2ElementsDefault)
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	d := c.withDefaults()
	switch {
	case ranks <= 0:
		return fmt.Errorf("permutation: %d ranks: a job has at least one", ranks)
	case d.Log2Elements < 0 || d.Log2Elements > log2ElementsMax:
		return fmt.Errorf("permutation: 2^%d elements a rank: give a logarithm from 1 to %d, or 0 for %d",
			c.Log2Elements, log2ElementsMax, log2ElementsDefault)
	case uint64(ranks) > elementsMax>>d.Log2Elements:
		return fmt.Errorf("permutation: 2^%d elements on each of %d ranks are too many: give less", d.Log2Elements, ranks)
	}
	return nil
}

// elements is the number of elements of one rank.
func (c Config) elements() uint64 { return 1 << c.Log2Elements }
