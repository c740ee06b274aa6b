package pages_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) {
	process, err := strconv.Atoi(os.Getenv(memberVariable))
	if err != nil {
		goleak.VerifyTestMain(m)
		return
	}
	if err := member(process); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// Slices and locks are as one memory, over all transports and in simulated jobs with faults.
func TestEverywhere(t *testing.T) {
	seed := seeds.Of(t)
	for _, c := range []pages.Config{{}, {PageBytes: 64, Copies: true}, {PageBytes: 65536, Copies: true, Flat: true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			appstest.Everywhere(t, func(*testing.T, int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				return func(r *pebble.Rank) error {
					s := pages.New(memory.New(r), c)
					if err := equalsASlice[uint32](s, seed, 5000, block); err != nil {
						return err
					}
					if err := equalsASlice[uint8](s, seed, 2000, blocks); err != nil {
						return err
					}
					return countsUnderLocks(s, seed, 60)
				}, nil
			})
		})
	}
}

// countsUnderLocks has ranks add to words of a few slices under locks, some of them nested, and barriers between. No
// addition is lost, and what a lock guards is seen whole.
func countsUnderLocks(s *pages.Space, seed uint64, turns int) error {
	const locks, width = 4, 700
	r := s.Rank()
	v := pages.NewSlice[uint64](s, "guarded", distribution.Block(locks*width, r.Size()))
	var all []*pages.Lock
	for i := range locks {
		l := pages.NewLock(s, fmt.Sprint("lock ", i), i%r.Size())
		all = append(all, l)
	}
	add := func(k uint64) error {
		lo := k * width
		before := v.Read(lo, lo+width)
		if a, b, c := before[0], before[width/2], before[width-1]; a != b || a != c {
			return fmt.Errorf("rank %d sees %d, %d and %d under lock %d", r.ID(), a, b, c, k)
		}
		n := before[0] + 1
		v.Write(lo, lo+1)[0] = n
		v.Write(lo+width/2, lo+width/2+1)[0] = n
		v.Write(lo+width-1, lo+width)[0] = n
		return nil
	}
	random, added := rand.New(rand.NewPCG(seed, uint64(r.ID()))), uint64(0)
	for turn := range turns {
		k := random.Uint64N(locks)
		if turn%5 == 0 && !all[k].TryLock() {
			continue
		} else if turn%5 != 0 {
			all[k].Lock()
		}
		if err := add(k); err != nil {
			return err
		}
		added++
		if turn%7 == 0 && k+1 < locks {
			all[k+1].Lock()
			if err := add(k + 1); err != nil {
				return err
			}
			added++
			all[k+1].Unlock()
		}
		all[k].Unlock()
		if turn%20 == 19 {
			if err := s.Barrier(); err != nil {
				return err
			}
		}
	}
	if err := s.Barrier(); err != nil {
		return err
	}
	total, err := pebble.AllReduce(r, added, pebble.Sum)
	if err != nil {
		return err
	}
	sum := uint64(0)
	for k := range uint64(locks) {
		sum += v.Read(k*width, k*width+1)[0]
	}
	if sum != total {
		return fmt.Errorf("%d additions are left of %d", sum, total)
	}
	return s.Barrier()
}
