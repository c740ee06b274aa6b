package target_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// decodes is amounts with a count of what is decoded.
type decodes struct {
	amounts
	n *atomic.Uint64
}

func (d decodes) Decode(src []byte) (amount, error) {
	d.n.Add(1)
	return d.amounts.Decode(src)
}

// A hop whose cache is off passes records on as they are, as one without a cache does.
func TestCacheThatIsOffDecodesNothing(t *testing.T) {
	const ranks, sends = 4, 20_000
	var decoded atomic.Uint64
	var sum pebble.Counters
	require.NoError(t, run(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 64},
		func(r *pebble.Rank) error {
			total := target.New(r, "total", distribution.Cyclic(ranks*sends, ranks),
				target.Key(func(a amount) uint64 { return a.key }),
				target.Each(func(amount) {}), target.Coded[amount](decodes{n: &decoded}),
				target.Reduce(reduce.Combine(func(a, b amount) amount { return amount{a.key, a.n + b.n} })))
			err := r.Epoch(func() error {
				for i := range uint64(sends) { // no key comes twice
					total.Send(amount{uint64(r.ID())*sends + i, 1})
				}
				return nil
			})
			if err != nil {
				return err
			}
			all, err := pebble.AllReduce(r, r.Counters(), pebble.Counters.Add)
			if r.ID() == 0 {
				sum = all
			}
			return err
		}))
	require.EqualValues(t, ranks*sends, sum.PebblesHandled)
	require.Zero(t, sum.Merged)
	require.Positive(t, sum.Forwarded)
	arrived := sum.PebblesHandled - sum.PebblesHandled/ranks // a rank's own pebbles are not encoded
	require.GreaterOrEqual(t, decoded.Load(), arrived)
	require.Less(t, decoded.Load()-arrived, sum.Forwarded/4, "of %d that hops passed on", sum.Forwarded)
}
