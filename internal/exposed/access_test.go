package exposed

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Ranges are put to odd places, and got from odd places, at the same time. Each word that a range covers as a whole
// comes from one put. All bytes of a put are the same. The test makes a fixed number of each, for any schedule of
// cores.
func TestRangesFromOddPlacesTearNoWord(t *testing.T) {
	const each, size = 3000, 16 << 10
	own := reserve(t, 4, 2*hugeBytes, 2, EntriesMax)
	key, mem := expose(t, NewOwner(own), size)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&mem[0])), size/WordBytes)
	whole := func(word uint64) bool { return word == word&0xff*0x0101_0101_0101_0101 }

	const most = 100 * each // with few cores a get seldom meets a put
	var over atomic.Bool
	var puts, met atomic.Int64 // met counts gets during which a put began
	var both sync.WaitGroup
	both.Go(func() {
		defer over.Store(true)
		u := own.User(0)
		for i := 0; i < each || met.Load() < each && i < most; i++ {
			odd := 1 + i%(WordBytes-1)
			from := i % 2 // at the beginning of a word, or not
			puts.Add(1)
			u.Put(own, Place{key, uint64(odd)}, slices.Repeat([]byte{byte(i)}, size-odd)[from:])
		}
	})
	torn := 0
	u, got := own.User(1), make([]byte, size-WordBytes)
	for i := 0; !over.Load(); i++ {
		odd, before := 1+i%(WordBytes-1), puts.Load()
		require.Equal(t, None, u.Get(own, Place{key, uint64(odd)}, got))
		for w := 1; w < len(words)-1; w++ {
			copied := *(*[WordBytes]byte)(got[WordBytes*w-odd:])
			if !whole(*(*uint64)(unsafe.Pointer(&copied))) || !whole(atomic.LoadUint64(&words[w])) {
				torn++
			}
		}
		if puts.Load() != before {
			met.Add(1)
		}
	}
	both.Wait()
	require.Zero(t, torn, "words are torn")
}

// If one of many words is bad none is written, at any position: the caller then puts the others one by one, and a word
// that was put twice could undo another rank's write between.
func TestWordsAreWrittenWhenAllAreGood(t *testing.T) {
	const words = 3 * wordsAhead
	own := reserve(t, 4, 2*hugeBytes, 2, EntriesMax)
	key, mem := expose(t, NewOwner(own), words*WordBytes)
	u, mem := own.User(0), mem[:words*WordBytes]
	var puts, gets, want []byte
	for i := range uint64(words) {
		gets = binary.LittleEndian.AppendUint64(gets, i*WordBytes)
		puts = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(puts, i*WordBytes), i+1)
		want = binary.LittleEndian.AppendUint64(want, i+1)
	}
	for _, bad := range []int{0, 1, wordsAhead, words - 1} {
		place := puts[bad*2*WordBytes:]
		binary.LittleEndian.PutUint64(place, (words-1)*WordBytes+1)
		require.Equal(t, Beyond, u.PutWords(own, key, puts), "word %d", bad)
		require.Equal(t, make([]byte, len(mem)), mem, "word %d", bad)
		binary.LittleEndian.PutUint64(place, uint64(bad)*WordBytes)
	}
	require.Equal(t, Unknown, u.PutWords(own, key+1, puts))
	require.Equal(t, None, u.PutWords(own, key, puts))
	require.Equal(t, want, mem)
	got := make([]byte, len(mem))
	require.Equal(t, None, u.GetWords(own, key, gets, got))
	require.Equal(t, want, got)
}
