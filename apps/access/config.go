package access

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/apps"
)

// Way is how words are accessed.
type Way string

// The ways. The index of each access of a chain depends on what the one before has read.
const (
	ByGather  Way = "gather"  // many at once
	ByScatter Way = "scatter" // many at once are written
	ByGet     Way = "get"     // one after the other
	ByPut     Way = "put"     // one after the other are written
	ByLoad    Way = "load"    // of the rank's own words, by plain loads
	Chain     Way = "chain"   // one after the other, in a chain
	LoadChain Way = "load-chain"
)

// Ways are all ways.
var Ways = []Way{ByGather, ByScatter, ByGet, ByPut, ByLoad, Chain, LoadChain}

// GatherConfig is what a run of Gather can be told. The zero value is a run with all defaults.
type GatherConfig struct {
	// Log2Words is the binary logarithm of the words of each rank, 1 to 32. 0 is 20.
	Log2Words int
	// Accesses is how many each rank makes, each with 24 bytes of memory, at most 2^32. 0 is 2^20.
	Accesses int
	// Batch is how many of them are made at once, where they are, at most 2^20. 0 is 1024.
	Batch int
	// Way is how. "" is ByGather.
	Way Way
	// Others leaves out the rank's own words, where there are others.
	Others bool
	// Seed names words and indices. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with the accesses that it has made, and will make.
	Progress func(done, total uint64)
}

const (
	log2WordsMax = 32
	accessesMax  = 1 << 32
	batchMax     = 1 << 20
	ranksMax     = 1 << 24
)

func (c GatherConfig) withDefaults() GatherConfig {
	c.Log2Words = cmp.Or(c.Log2Words, 20)
	c.Accesses = cmp.Or(c.Accesses, 1<<20)
	c.Batch = cmp.Or(c.Batch, 1024)
	c.Way = cmp.Or(c.Way, ByGather)
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c GatherConfig) Check(ranks int) error {
	c = c.withDefaults()
	switch {
	case ranks < 1 || ranks > ranksMax:
		return fmt.Errorf("access: %d ranks: a job has 1 to %d", ranks, ranksMax)
	case c.Log2Words < 1 || c.Log2Words > log2WordsMax:
		return fmt.Errorf("access: 2^%d words a rank: give a logarithm from 1 to %d", c.Log2Words, log2WordsMax)
	case c.Accesses < 1 || c.Accesses > accessesMax:
		return fmt.Errorf("access: %d accesses: give 1 to %d", c.Accesses, accessesMax)
	case c.Batch < 1 || c.Batch > batchMax:
		return fmt.Errorf("access: batches of %d: give 1 to %d", c.Batch, batchMax)
	}
	if !slices.Contains(Ways, c.Way) {
		return fmt.Errorf("access: the way %q: give one of %s", c.Way, apps.Names(Ways))
	}
	return nil
}

// AttendConfig is what a run of Attend can be told. The zero value is a run with all defaults.
type AttendConfig struct {
	// Reads is how many there are, at most 2^20. 0 is 1000.
	Reads int
	// Busy is how long the owner computes at a time, at most a minute. 0 is 20 ms.
	Busy time.Duration
	// Asks has a pebble ask the owner, which answers by another one. Without it the reads are gets.
	Asks bool
	// Seed names the words. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with the reads that were made, and that will be.
	Progress func(done, total uint64)
}

const (
	readsMax = 1 << 20
	busyMax  = time.Minute
)

func (c AttendConfig) withDefaults() AttendConfig {
	c.Reads = cmp.Or(c.Reads, 1000)
	c.Busy = cmp.Or(c.Busy, 20*time.Millisecond)
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c AttendConfig) Check(ranks int) error {
	c = c.withDefaults()
	switch {
	case ranks < 2:
		return fmt.Errorf("access: %d ranks: one reads and another one computes, so give 2 at least", ranks)
	case c.Reads < 1 || c.Reads > readsMax:
		return fmt.Errorf("access: %d reads: give 1 to %d", c.Reads, readsMax)
	case c.Busy < 0 || c.Busy > busyMax:
		return fmt.Errorf("access: an owner that computes for %v: give at most %v", c.Busy, busyMax)
	}
	return nil
}
