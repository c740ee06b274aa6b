package tcp

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// TestOutboxReleasesWhatComesLate puts while the outbox closes: whoever is later, all frames come back.
func TestOutboxReleasesWhatComesLate(t *testing.T) {
	const putters, count = 4, 100
	for range 50 {
		o := outbox{parking: idle.NewParking()}
		pools := make([]*netio.Pool, putters)
		var all sync.WaitGroup
		for i := range pools {
			pools[i] = netio.NewPool(nil)
			all.Go(func() {
				for range count {
					o.put(pools[i].Get(1))
				}
			})
		}
		all.Go(o.close)
		all.Wait()
		for _, p := range pools {
			require.Zero(t, p.Lent())
		}
	}
}
