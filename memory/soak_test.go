package memory_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// soakVariable is how long all ranks access the same words, over each transport, such as 10s. Without it they do so
// some times.
const soakVariable = "PEBBLES_SOAK"

// whole is a word that shows when it is torn.
func whole(n uint64) uint64 { return n<<32 | ^n&math.MaxUint32 }

func torn(word uint64) bool { return word != 0 && word>>32 != ^word&math.MaxUint32 }

// All ranks put random words, get them, and change others in one step, in all ways, at the same time: no word is torn,
// and no addition lost.
func TestSoak(t *testing.T) {
	for _, transport := range []string{"mem", "shm", "tcp"} {
		more := func(n int) bool { return n < 400 }
		if text := os.Getenv(soakVariable); text != "" {
			long, err := time.ParseDuration(text)
			require.NoError(t, err)
			end := time.Now().Add(long)
			more = func(int) bool { return time.Now().Before(end) }
		}
		soak(t, transport, more)
	}
}

func soak(t *testing.T, transport string, more func(n int) bool) {
	s := appstest.Shape{Ranks: 4, Procs: 2, Transport: transport, New: route.Direct}
	if transport == "mem" {
		s.Procs = 1
	}
	var accesses, additions atomic.Int64
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		k := &soaker{Rand: rand.New(rand.NewPCG(7, uint64(r.ID())))}
		space := memory.New(r)
		var err error
		k.words = memory.NewArray[uint64](space, "words", distribution.Block(soakWords, r.Size()))
		k.sums = memory.NewArray[uint64](space, "sums", distribution.Cyclic(soakSums, r.Size()))
		if err := r.Epoch(func() error {
			for n := 0; more(n); n++ {
				if err := k.step(); err != nil {
					return fmt.Errorf("rank %d over %s: %w", r.ID(), transport, err)
				}
				r.Poll()
			}
			return nil
		}); err != nil {
			return err
		}
		sum := uint64(0)
		for _, n := range k.sums.Local() {
			sum += n
		}
		for _, w := range k.words.Local() {
			if torn(w) {
				return fmt.Errorf("a torn word at the end: %#x", w)
			}
		}
		found, err := pebble.AllReduce(r, [2]uint64{sum, k.added}, func(a, b [2]uint64) [2]uint64 {
			return [2]uint64{a[0] + b[0], a[1] + b[1]}
		})
		if err == nil && found[0] != found[1] {
			err = fmt.Errorf("%d was added, and %d is there", found[1], found[0])
		}
		counts := space.Counts()
		accesses.Add(int64(counts.Near + counts.Remote))
		additions.Add(int64(k.adds))
		return err
	}))
	t.Logf("%s: %d accesses, %d additions", transport, accesses.Load(), additions.Load())
}

const (
	soakWords = 1 << 10
	soakSums  = 7
)

// soaker is one rank that accesses words at random.
type soaker struct {
	*rand.Rand
	words, sums *memory.Array[uint64]
	added, adds uint64
	indices     [40]uint64
	room        [40]uint64
}

// step does some of each.
func (k *soaker) step() error {
	n := 1 + k.IntN(len(k.room))
	some, indices := k.room[:n], k.indices[:n]
	for i := range some {
		some[i], indices[i] = whole(k.Uint64N(1<<31)), k.Uint64N(soakWords)
	}
	lo := k.Uint64N(soakWords - uint64(n))
	switch k.IntN(5) {
	case 0:
		k.words.Put(indices[0], some[0])
	case 1:
		p := k.words.PutStart(indices[0], &some[0])
		p.Wait()
	case 2:
		k.words.PutRange(lo, some)
	case 3:
		k.words.Scatter(indices, some)
	case 4:
		some[0] = memory.Swap(k.words, indices[0], some[0])
	}
	if err := sound(some); err != nil {
		return err
	}
	switch k.IntN(3) {
	case 0:
		some[0] = k.words.Get(indices[0])
	case 1:
		k.words.GetRange(lo, some)
	case 2:
		k.words.Gather(some, indices)
	}
	if err := sound(some); err != nil {
		return err
	}
	i, v := k.Uint64N(soakSums), k.Uint64N(1000)
	switch k.IntN(3) {
	case 0:
		memory.Add(k.sums, i, v)
	case 1:
		memory.AddStart(k.sums, i, v)
	case 2:
		for {
			if old := k.sums.Get(i); memory.CompareAndSwap(k.sums, i, old, old+v) {
				break
			}
		}
	}
	k.added, k.adds = k.added+v, k.adds+1
	return nil
}

func sound(words []uint64) error {
	for _, w := range words {
		if torn(w) {
			return fmt.Errorf("a torn word: %#x", w)
		}
	}
	return nil
}
