package reduction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/target"
)

// Config is what a run of the reduction can be told. The zero value is a run with all defaults.
type Config struct {
	// Kind is one of [Kinds]; empty is sum.
	Kind string
	// Items is how many items each rank sends. 0 is 2^20. Numbers other than powers of two take a little longer to make.
	Items uint64
	// Keys is how many keys there are, 16 bytes each at its owner. 0 is 1.
	Keys uint64
	// Cache is the size of the reduction cache, in entries. 0 is the job's if it has one, else 1,024; [NoCache] is none.
	Cache int
	// Tuned leaves the size to the job's tuning, which begins with pebble.Config.Cache.
	Tuned bool
	// Seed names the order of the items. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with the number of items that rank 0 has sent, and will
	// have sent at the end.
	Progress func(done, total uint64)
}

// NoCache is the size of no cache at all: every item travels.
const NoCache = -1

// CacheDefault is how many entries the reduction cache has when nobody says otherwise.
const CacheDefault = 1024

const (
	kindDefault  = "sum"
	itemsDefault = 1 << 20
	itemsMax     = 1 << 60 // of the whole job
	keysMax      = 1 << 40
)

// withDefaults completes c for a job with a cache of so many entries.
func (c Config) withDefaults(cache int) Config {
	c.Kind = cmp.Or(c.Kind, kindDefault)
	c.Items = cmp.Or(c.Items, itemsDefault)
	c.Keys = cmp.Or(c.Keys, 1)
	c.Cache = cmp.Or(c.Cache, cache, CacheDefault)
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	d := c.withDefaults(0)
	switch {
	case ranks <= 0:
		return fmt.Errorf("reduce: %d ranks: a job has at least one", ranks)
	case !slices.Contains(Kinds(), d.Kind):
		return fmt.Errorf("reduce: %q is no kind of reduction: use one of %s", c.Kind, strings.Join(Kinds(), ", "))
	case d.Items > itemsMax/uint64(ranks):
		return fmt.Errorf("reduce: %d items on each of %d ranks are too many: give less", d.Items, ranks)
	case d.Keys > keysMax:
		return fmt.Errorf("reduce: %d keys: give at most %d", d.Keys, uint64(keysMax))
	case d.Kind == "count" && (d.Keys > countMax || d.Items > countMax/uint64(ranks)):
		return fmt.Errorf("reduce: count is for at most 2^32 keys and as many items in all: give fewer, or use sum")
	case d.Cache < NoCache:
		return fmt.Errorf("reduce: a cache of %d entries: give a positive number, 0 for %d, or NoCache", c.Cache, CacheDefault)
	}
	return nil
}

// cache is the option for the reduction cache: none when tuning is to find it.
func (c Config) cache() []target.Option {
	if c.Tuned {
		return nil
	}
	return []target.Option{target.Cache(c.entries())}
}

// entries is the size of the cache, 0 for none.
func (c Config) entries() int { return max(c.Cache, 0) }
