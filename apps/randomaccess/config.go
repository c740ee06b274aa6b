package randomaccess

import (
	"cmp"
	"fmt"
	"math"
)

// Config is what a run of RandomAccess can be told. The zero value is a run with all defaults.
type Config struct {
	// Log2Words is the binary logarithm of the words of each rank, 8 bytes each. 0 is 20, 8 MiB.
	Log2Words int
	// UpdatesPerWord is the number of updates in the mean for each word. 0 is 4, the benchmark's own number.
	UpdatesPerWord float64
	// Coalesce is the coalescing factor. 0 is the job's or what the rule of 1,024 allows, whichever is less. Any other
	// number is used as it is.
	Coalesce int
	// Tuned leaves the coalescing factor to the job's tuning, which does not keep the rule.
	Tuned bool
	// Epoch is after how many updates each rank waits until all updates of all ranks have been made: an epoch ends there.
	// It keeps the rule of 1,024 in another way, with buffers as large as Coalesce says: at most so many of a rank's own
	// updates wait. That is how the paper ran it (Active Pebbles, sections 4.1 and 5.2). 0 is one epoch for all.
	Epoch int
	// OneByOne sends each update by a call of its own, as programs do that have no batches.
	OneByOne bool
	// Progress, when not nil, is called on rank 0 now and then with the number of updates that rank 0 has sent, and will
	// have sent when all are verified.
	Progress func(done, total uint64)
}

const (
	log2WordsDefault      = 20
	log2WordsMax          = 36
	updatesPerWordDefault = 4
	updatesMax            = 1 << 60 // of the whole job: less than the period of the stream
)

func (c Config) withDefaults() Config {
	c.Log2Words = cmp.Or(c.Log2Words, log2WordsDefault)
	c.UpdatesPerWord = cmp.Or(c.UpdatesPerWord, updatesPerWordDefault)
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	d := c.withDefaults()
	switch {
	case ranks <= 0:
		return fmt.Errorf("randomaccess: %d ranks: a job has at least one", ranks)
	case d.Log2Words < 0 || d.Log2Words > log2WordsMax:
		return fmt.Errorf("randomaccess: 2^%d words a rank: give a logarithm from 1 to %d, or 0 for %d",
			c.Log2Words, log2WordsMax, log2WordsDefault)
	case !(d.UpdatesPerWord > 0) || math.IsInf(d.UpdatesPerWord, 1):
		return fmt.Errorf("randomaccess: %v updates a word: give a positive number, or 0 for %d", c.UpdatesPerWord, updatesPerWordDefault)
	case d.UpdatesPerWord*math.Exp2(float64(d.Log2Words))*float64(ranks) > updatesMax:
		return fmt.Errorf("randomaccess: %v updates a word are more than the stream has numbers: give less", c.UpdatesPerWord)
	case d.updates() == 0:
		return fmt.Errorf("randomaccess: %v updates a word are none for the 2^%d words of a rank: give more", c.UpdatesPerWord, d.Log2Words)
	case d.Epoch < 0:
		return fmt.Errorf("randomaccess: epochs of %d updates: give a positive number, or 0 for one epoch", c.Epoch)
	case d.Coalesce < 0:
		return fmt.Errorf("randomaccess: coalescing factor %d: a buffer holds at least one update, or 0 for the default", c.Coalesce)
	}
	return nil
}

// words is the number of words of one rank.
func (c Config) words() uint64 { return 1 << c.Log2Words }

// updates is the number of updates that one rank generates.
func (c Config) updates() uint64 { return uint64(c.UpdatesPerWord * float64(c.words())) }
