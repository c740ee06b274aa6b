package pages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Copies of near pages, which a span across two homes needs, make room for others, also if such a page is then opened
// at its home.
func TestOldCopiesMakeRoom(t *testing.T) {
	const each, cached = 512, 8 // words of a page, pages of the cache
	apart := sim.Config{Ranks: 2, Processes: 2, Seed: 1}
	for _, near := range []bool{false, true} {
		small := pebble.Config{PageCache: cached * each * 8}
		require.NoError(t, appstest.Simulate(t, apart, small, program(pages.Config{}, func(r rank) {
			v := r.words(64 * each)
			alone := func(do func()) {
				if r.ID() == 0 {
					do()
				}
				r.meet()
			}
			alone(func() { v.Read(31*each, 33*each) })
			alone(func() {
				for p := uint64(33); p < 31+cached; p++ {
					v.Read(p*each, (p+1)*each)
				}
			})
			alone(func() {
				if near {
					v.Read(31*each, 32*each)
				}
				v.Read(50*each, 51*each)
			})
		})))
	}
}

// A handler reads and writes near elements while its rank's main function has a longer span, which has a copy of their
// page.
func TestHandlersBesideALongerSpan(t *testing.T) {
	for _, c := range []pages.Config{{}, {Copies: true}, {Checked: true}} {
		apart := sim.Config{Ranks: 2, Processes: 2, Seed: 1}
		require.NoError(t, appstest.Simulate(t, apart, pebble.Config{}, program(c, func(r rank) {
			v, ran := r.words(1000), false
			to := target.New(r.Rank.Rank, "to", distribution.Ranks(2), target.Key(func(rank uint64) uint64 { return rank }),
				target.Each(func(rank uint64) {
					lo := 500*rank + 250
					v.Write(lo, lo+2)[1] += v.Read(lo, lo+1)[0] + 1
					ran = true
				}))
			lo, home := uint64(240+220*r.ID()), uint64(500*r.ID())
			r.Do(func() {
				span := v.Write(lo, lo+300) // elements of both homes
				span[home+250-lo] = 5       // the handler reads it
				to.Send(uint64(r.ID()))
			})
			r.True(ran)
			r.meet()
			r.Equal([]uint64{5, 6}, v.Read(250, 252))
			r.Equal([]uint64{5, 6}, v.Read(750, 752))
			r.meet()
		})))
	}
}
