package target

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
)

// OwnerError is the error of a job whose distribution named an owner that is not a rank. Distributions of package
// distribution never do; the results of others are checked, a batch of pebbles at a time.
type OwnerError struct {
	Key          uint64
	Owner        int
	Ranks        int
	Distribution string
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("the distribution %s gives key %d to rank %d, ranks are 0 to %d: "+
		"its owner must be one of these, or negative for a key outside", e.Distribution, e.Key, e.Owner, e.Ranks-1)
}

// checkOwners ends the job unless a distribution that is not ours named a rank for each key before the first one
// outside.
func checkOwners(t *engine.Target, m distribution.Map, outside int, keys []uint64, owners []uint32) {
	if outside >= len(keys) {
		t.Fail(fmt.Errorf("the distribution %s says that of %d keys the one with index %d is the first outside: "+
			"Owners returns such an index, or -1 when there is none", describe(m), len(keys), outside))
	}
	if outside >= 0 {
		owners = owners[:outside]
	}
	ranks := t.Rank.Size()
	i := firstBeyond(owners, uint32(ranks))
	if i < 0 {
		return
	}
	e := &OwnerError{Key: keys[i], Owner: int(owners[i]), Ranks: ranks, Distribution: describe(m)}
	if exact := m.Owner(keys[i]); exact >= ranks {
		e.Owner = exact // may exceed 32 bits
	}
	t.Fail(e)
}

// failOutside ends the job with the error of a key outside the distribution.
func failOutside(t *engine.Target, m distribution.Map, key uint64) {
	t.Rank.Fail(&pebble.KeyError{Site: engine.Site(), Rank: t.Rank.ID(), Target: t.Name, Key: key,
		Distribution: describe(m)})
}

// firstBeyond returns the index of the first owner that is not below ranks; -1 if all are. It is one pass over the
// batch.
func firstBeyond(owners []uint32, ranks uint32) int {
	highest := uint32(0)
	for _, owner := range owners {
		highest = max(highest, owner)
	}
	if highest < ranks {
		return -1
	}
	return slices.IndexFunc(owners, func(owner uint32) bool { return owner >= ranks })
}
