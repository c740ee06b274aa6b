package pages_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

// Slices and locks behave like one memory, over all transports and in simulated jobs with faults.
func TestEverywhere(t *testing.T) {
	seed := seeds.Of(t)
	for _, c := range []pages.Config{{}, {PageBytes: 64, Copies: true}, {PageBytes: 65536, Copies: true, Flat: true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			appstest.Everywhere(t, func(*testing.T, int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				return program(c, func(r rank) {
					equalsASlice[uint32](r, seed, 5000, block)
					equalsASlice[uint8](r, seed, 2000, blocks)
					countsUnderLocks(r, seed, 60)
				}), nil
			})
		})
	}
}

// countsUnderLocks makes ranks add to words of a few slices under locks, some of them nested, with barriers between. No
// addition is lost, and data under a lock is seen whole.
func countsUnderLocks(r rank, seed uint64, turns int) {
	const locks, width = 4, 700
	v, all := r.words(locks*width), r.locks(locks)
	random, added := rand.New(rand.NewPCG(seed, uint64(r.ID()))), uint64(0)
	add := func(k uint64) {
		lo := k * width
		before, n := v.Read(lo, lo+width), v.Read(lo, lo+1)[0]
		for _, at := range []uint64{0, width / 2, width - 1} {
			r.Equal(n, before[at], "word %d, under lock %d", at, k)
		}
		for _, at := range []uint64{lo, lo + width/2, lo + width - 1} {
			v.Write(at, at+1)[0] = n + 1
		}
		added++
	}
	for turn := range turns {
		k := random.Uint64N(locks)
		if turn%5 == 0 && !all[k].TryLock() {
			continue
		} else if turn%5 != 0 {
			all[k].Lock()
		}
		add(k)
		if turn%7 == 0 && k+1 < locks {
			all[k+1].Lock()
			add(k + 1)
			all[k+1].Unlock()
		}
		all[k].Unlock()
		if turn%20 == 19 {
			r.meet()
		}
	}
	r.meet()
	sum := uint64(0)
	for k := range uint64(locks) {
		sum += v.Read(k*width, k*width+1)[0]
	}
	r.Equal(appstest.Reduced(r.Rank, added, pebble.Sum), sum, "additions")
	r.meet()
}
