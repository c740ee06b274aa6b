package memory_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// whole is a word that shows when it is torn.
func whole(n uint64) uint64 { return n<<32 | ^n&math.MaxUint32 }

func torn(word uint64) bool { return word != 0 && word>>32 != ^word&math.MaxUint32 }

// All ranks put random words, get them, and change others atomically, in all ways, at the same time: no word is torn,
// and no addition lost.
func TestSoak(t *testing.T) {
	byTransport(t, func(r rank) {
		more := appstest.Soak(400)
		k := &soaker{Rand: rand.New(rand.NewPCG(7, uint64(r.ID()))), rank: r}
		k.words = r.words("words", soakWords)
		k.sums = memory.NewArray[uint64](r.s, "sums", distribution.Cyclic(soakSums, r.Size()))
		r.Do(func() {
			for n := 0; more(n); n++ {
				k.step()
				r.Poll()
			}
		})
		sum := uint64(0)
		for _, n := range k.sums.Local() {
			sum += n
		}
		k.check(k.words.Local())
		r.Equal(appstest.Reduced(r.Rank, k.added, pebble.Sum), appstest.Reduced(r.Rank, sum, pebble.Sum), "additions")
	})
}

const (
	soakWords = 1 << 10
	soakSums  = 7
)

// soaker is one rank that accesses words at random.
type soaker struct {
	rank
	*rand.Rand
	words, sums *memory.Array[uint64]
	added       uint64
	indices     [40]uint64
	room        [40]uint64
}

// step makes some accesses of each kind.
func (k *soaker) step() {
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
	k.check(some)
	switch k.IntN(3) {
	case 0:
		some[0] = k.words.Get(indices[0])
	case 1:
		k.words.GetRange(lo, some)
	case 2:
		k.words.Gather(some, indices)
	}
	k.check(some)
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
	k.added += v
}

func (k *soaker) check(words []uint64) {
	for _, w := range words {
		if torn(w) {
			k.Failf("torn", "a torn word: %#x", w)
		}
	}
}
