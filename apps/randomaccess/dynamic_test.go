package randomaccess

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// Links go down and come up again in the middle of the updates, marked by different ranks of different processes, and
// the table is that of the serial twin: every update once.
func TestLinksMarkedDownInMidEpoch(t *testing.T) {
	c := Config{Log2Words: 12, UpdatesPerWord: 4}
	for _, base := range []route.Constructor{route.Direct, route.Hypercube, route.MeshOf(2)} {
		for _, s := range []appstest.Shape{
			{Ranks: 8, Procs: 1, Transport: "mem", New: route.Dynamic(base), Coalesce: 64},
			{Ranks: 8, Procs: 3, Transport: "tcp", New: route.Dynamic(base), Coalesce: 64},
			{Ranks: 8, Procs: 3, Transport: "tcp", New: route.Dynamic(base), Coalesce: 64, Cache: 256, Credits: 1},
		} {
			t.Run(fmt.Sprintf("%s, %s, cache %d", base(8).Name(), s.Transport, s.Cache), func(t *testing.T) {
				_, want := Serial(8, c)
				var errors, rescued, handled [8]uint64
				require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
					b, err := newBench(r, c.withDefaults())
					if err == nil {
						err = b.load()
					}
					if err == nil {
						err = b.pass(marking(b, b.updates("update", b.count)))
					}
					rescued[r.ID()], handled[r.ID()] = r.Counters().Rescued, r.Counters().PebblesHandled
					if err == nil {
						err = b.verify()
					}
					errors[r.ID()] = b.errors
					require.Equal(t, want, digits(b.checksum))
					return err
				}))
				require.Zero(t, errors)
				sums := [2]uint64{}
				for rank := range errors {
					sums[0] += rescued[rank]
					sums[1] += handled[rank]
				}
				require.Positive(t, sums[0])
				require.EqualValues(t, 8*c.withDefaults().updates(), sums[1])
			})
		}
	}
}

// marking lets two ranks mark links of theirs while they send, and take the marks away later. Two links at a time can't
// cut off anybody.
func marking(b *bench, send func(rans []uint64)) func(rans []uint64) {
	r, passed := b.rank, uint64(0)
	if r.ID() != 1 && r.ID() != 6 {
		return send
	}
	return func(rans []uint64) {
		for i, from := range []uint64{2000, 6000, 10000} { // of 16,384 updates of a rank
			for _, c := range []struct {
				at   uint64
				down bool
			}{{from, true}, {from + 3000, false}} {
				if passed < c.at && c.at <= passed+uint64(len(rans)) {
					r.MarkLink(r.ID(), r.ID()^1<<i, c.down)
				}
			}
		}
		passed += uint64(len(rans))
		send(rans)
	}
}
