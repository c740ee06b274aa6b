package exposed

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// WordBytes is the size of a word, which is never torn if it begins at a multiple of its size.
const WordBytes = 8

// Get copies exposed memory to dst.
func (u User) Get(s *Segment, from Place, dst []byte) Fault {
	at, fault := u.enter(s, from, uint64(len(dst)))
	if fault == None {
		copyOut(dst, at)
		fault = u.left(s, from)
	}
	return fault
}

// Put copies src to exposed memory.
func (u User) Put(s *Segment, to Place, src []byte) Fault {
	at, fault := u.enter(s, to, uint64(len(src)))
	if fault == None {
		copyIn(at, src)
		u.leave()
	}
	return fault
}

// Word is a word of an exposure: its offset there, and its local memory.
type Word struct {
	Offset uint64
	Data   *[WordBytes]byte
}

// wordsAhead is the number of words that are prefetched together before the first write.
const wordsAhead = 32

// GetWords copies words of one exposure to dst. places has their offsets, little-endian, in wire format. With a fault,
// which may concern any of them, dst is undefined.
func (u User) GetWords(s *Segment, key uint64, places, dst []byte) Fault {
	first, fault := u.enterWords(s, key, places, WordBytes)
	if fault != None {
		return fault
	}
	dst = dst[:len(places)]
	for ; len(places) >= WordBytes; places, dst = places[WordBytes:], dst[WordBytes:] {
		at := unsafe.Add(first, binary.LittleEndian.Uint64(places))
		if uintptr(at)%WordBytes == 0 {
			binary.NativeEndian.PutUint64(dst, atomic.LoadUint64((*uint64)(at))) // the processor loads many at a time
		} else {
			copyOut(dst[:WordBytes], at)
		}
	}
	return u.left(s, Place{Key: key})
}

// PutWords copies words to one exposure. Each element of places is an offset and the word. With a fault none is
// written: a caller that then puts the good ones one by one writes no word twice.
func (u User) PutWords(s *Segment, key uint64, places []byte) Fault {
	const each = 2 * WordBytes
	first, fault := u.enterWords(s, key, places, each)
	if fault != None {
		return fault
	}
	var words [wordsAhead]unsafe.Pointer
	for len(places) > 0 {
		n := bringNear(&words, first, places, each)
		for _, at := range words[:n] {
			copyIn(at, places[WordBytes:each])
			places = places[each:]
		}
	}
	u.leave()
	return None
}

// enterWords enters an exposure, which begins at first, if it contains all words of places. each is the size of a place
// in bytes.
func (u User) enterWords(s *Segment, key uint64, places []byte, each int) (first unsafe.Pointer, fault Fault) {
	first, fault = u.enter(s, Place{Key: key}, 0)
	if fault != None {
		return nil, fault
	}
	room, last := u.room(s, key), uint64(0)
	for ; len(places) >= each; places = places[each:] {
		last = max(last, binary.LittleEndian.Uint64(places))
	}
	if last > room || room-last < WordBytes {
		u.leave()
		return nil, Beyond
	}
	return first, None
}

// bringNear finds the words of the first places, and prefetches them.
func bringNear(words *[wordsAhead]unsafe.Pointer, first unsafe.Pointer, places []byte, each int) (n int) {
	n = min(wordsAhead, len(places)/each)
	for i := range words[:n] {
		words[i] = unsafe.Add(first, binary.LittleEndian.Uint64(places[i*each:]))
		cpu.Prefetch(words[i], 1)
	}
	return n
}

// find finds a word.
func (u User) find(s *Segment, p Place) (*uint64, Fault) {
	if p.Offset%WordBytes != 0 {
		return nil, Odd
	}
	at, fault := u.enter(s, p, WordBytes)
	return (*uint64)(at), fault
}

// Add adds to a word, and returns its previous value.
func (u User) Add(s *Segment, to Place, n uint64) (old uint64, fault Fault) {
	at, fault := u.find(s, to)
	if fault == None {
		old = atomic.AddUint64(at, n) - n
		fault = u.left(s, to)
	}
	return old, fault
}

// Swap sets a word, and returns its previous value.
func (u User) Swap(s *Segment, to Place, with uint64) (old uint64, fault Fault) {
	at, fault := u.find(s, to)
	if fault == None {
		old = atomic.SwapUint64(at, with)
		fault = u.left(s, to)
	}
	return old, fault
}

// CompareAndSwap sets a word if it has the expected value, and returns its previous value.
func (u User) CompareAndSwap(s *Segment, to Place, expect, with uint64) (old uint64, fault Fault) {
	at, fault := u.find(s, to)
	if fault != None {
		return 0, fault
	}
	for old = expect; !atomic.CompareAndSwapUint64(at, expect, with); {
		if old = atomic.LoadUint64(at); old != expect {
			break
		}
	}
	return old, u.left(s, to)
}

// Near returns exposed memory itself, which is valid until it is withdrawn.
func (u User) Near(s *Segment, p Place, n int) ([]byte, Fault) {
	at, fault := u.enter(s, p, uint64(n))
	if fault != None {
		return nil, fault
	}
	u.leave()
	return unsafe.Slice((*byte)(at), n), None
}

// copyOut copies from shared memory. The copy of Go's runtime reads and writes each word at once only if both sides are
// aligned, as pointers require; copyOut does so for any alignment.
func copyOut(dst []byte, from unsafe.Pointer) {
	src := unsafe.Slice((*byte)(from), len(dst))
	if len(dst) == WordBytes && aligned(src) {
		*word(dst) = atomic.LoadUint64(word(src))
		return
	}
	n := head(src)
	copy(dst[:n], src[:n])
	dst, src = dst[n:], src[n:]
	if aligned(dst) {
		n = len(dst) &^ (WordBytes - 1)
		copy(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
	for ; len(dst) >= WordBytes; dst, src = dst[WordBytes:], src[WordBytes:] {
		*word(dst) = atomic.LoadUint64(word(src))
	}
	copy(dst, src)
}

// copyIn copies to shared memory, in the same way.
func copyIn(to unsafe.Pointer, src []byte) {
	dst := unsafe.Slice((*byte)(to), len(src))
	if len(src) == WordBytes && aligned(dst) {
		atomic.StoreUint64(word(dst), *word(src))
		return
	}
	n := head(dst)
	copy(dst[:n], src[:n])
	dst, src = dst[n:], src[n:]
	if aligned(src) {
		n = len(src) &^ (WordBytes - 1)
		copy(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
	for ; len(src) >= WordBytes; dst, src = dst[WordBytes:], src[WordBytes:] {
		atomic.StoreUint64(word(dst), *word(src))
	}
	copy(dst, src)
}

// word returns the first word of bytes.
func word(b []byte) *uint64 { return (*uint64)(unsafe.Pointer(unsafe.SliceData(b))) }

func aligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%WordBytes == 0 }

// head returns the number of bytes before the first word.
func head(b []byte) int {
	return min(len(b), int(-uintptr(unsafe.Pointer(unsafe.SliceData(b)))%WordBytes))
}
