package exposed

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Ranges are put to odd places, and got from odd places, at the same time: each word that a range covers as a whole is
// one put's. All bytes of a put are the same. Reads end when the puts do, so a machine of one core sees few.
func TestRangesFromOddPlacesTearNoWord(t *testing.T) {
	const puts, size = 3000, 16 << 10
	own, err := Reserve(4, 2*hugeBytes, 2, EntriesMax)
	require.NoError(t, err)
	key, mem, err := NewOwner(own).Expose(size, nil)
	require.NoError(t, err)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&mem[0])), size/WordBytes)
	whole := func(word uint64) bool { return word == word&0xff*0x0101_0101_0101_0101 }

	var over atomic.Bool
	var both sync.WaitGroup
	both.Go(func() {
		defer over.Store(true)
		u := own.User(0)
		for i := range puts {
			odd := 1 + i%(WordBytes-1)
			from := i % 2 // where a word begins, or not
			u.Put(own, Place{key, uint64(odd)}, slices.Repeat([]byte{byte(i)}, size-odd)[from:])
		}
	})
	torn := 0
	u, got := own.User(1), make([]byte, size-WordBytes)
	for i := 0; !over.Load(); i++ {
		odd := 1 + i%(WordBytes-1)
		require.Equal(t, None, u.Get(own, Place{key, uint64(odd)}, got))
		for w := 1; w < len(words)-1; w++ {
			copied := *(*[WordBytes]byte)(got[WordBytes*w-odd:])
			if !whole(*(*uint64)(unsafe.Pointer(&copied))) || !whole(atomic.LoadUint64(&words[w])) {
				torn++
			}
		}
	}
	both.Wait()
	require.Zero(t, torn, "words are torn")
}
