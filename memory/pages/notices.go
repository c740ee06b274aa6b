package pages

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/activepebbles/pebbles/netio"
)

// An interval of a rank ends with a release. Its write notices name the pages that the rank has written in it: the
// paper's write notices. A rank files them in a log, a ring of words in exposed memory, where acquiring ranks get them.
// Its vector time has for each rank the number of words of that rank's log that it has seen; later words belong to
// intervals that it has not seen.
//
// A word names neighbouring pages of one region, and the lap of the ring. So a reader finds out whether a word is the
// expected one, or a later one in its place. In that case, or when it has missed more words than the ring has, it takes
// every page as written. That costs transfers and is never wrong, and old intervals need no collection.
type notice uint64

const (
	pageBits   = 30
	countBits  = 12
	regionBits = 10
	lapBits    = 64 - pageBits - countBits - regionBits

	countMax  = 1 << countBits // pages of a word
	regionMax = 1 << regionBits
	logWords  = 1 << 13
)

func newNotice(place uint64, region, page, count int) notice {
	return notice(page | (count-1)<<pageBits | region<<(pageBits+countBits) |
		int(place/logWords%(1<<lapBits))<<(pageBits+countBits+regionBits))
}

func (n notice) page() int   { return int(n & (1<<pageBits - 1)) }
func (n notice) count() int  { return int(n>>pageBits&(countMax-1)) + 1 }
func (n notice) region() int { return int(n >> (pageBits + countBits) & (regionMax - 1)) }

// at reports whether the notice belongs to a place in the log.
func (n notice) at(place uint64) bool {
	return uint64(n>>(pageBits+countBits+regionBits)) == place/logWords%(1<<lapBits)
}

// written is a page that was written in this interval.
type written struct{ region, page uint32 }

func byPlace(a, b written) int {
	if a.region != b.region {
		return int(a.region) - int(b.region)
	}
	return int(a.page) - int(b.page)
}

// logs are one rank's view of the logs of all ranks.
type logs struct {
	me   int
	at   []netio.Address // by rank
	own  []uint64        // ring of this rank
	time []uint64        // vector time
	met  []uint64        // vector time of the last barrier
	got  []uint64        // buffer for words of other logs
}

// file ends an interval: it files notices of pages, in any order and possibly repeated, and empties the list.
func (l *logs) file(pages []written) (left []written, notices int) {
	if len(pages) == 0 {
		return pages, 0
	}
	slices.SortFunc(pages, byPlace)
	from := l.time[l.me]
	for i := 0; i < len(pages); {
		first, count := pages[i], 1
		for i++; i < len(pages) && pages[i].region == first.region; i++ {
			ahead := int(pages[i].page - first.page)
			if ahead > count || ahead == countMax {
				break
			}
			count = max(count, ahead+1)
		}
		place := l.time[l.me]
		atomic.StoreUint64(&l.own[place%logWords], uint64(newNotice(place, int(first.region), int(first.page), count)))
		l.time[l.me]++
	}
	return pages[:0], int(l.time[l.me] - from)
}

// pieces locates words of a ring: one piece, or two if the range wraps.
func pieces(from, to uint64) (lo, first, second uint64) {
	lo = from % logWords
	first = min(to-from, logWords-lo)
	return lo, first, to - from - first
}

// get begins to get words of another rank's log to room.
func (l *logs) get(m netio.OneSided, rank int, from, to uint64, room []uint64, c *netio.Completion) {
	lo, first, second := pieces(from, to)
	m.Get(l.at[rank].Plus(int(lo)*wordBytes), asBytes(room[:first]), c)
	if second > 0 {
		m.Get(l.at[rank], asBytes(room[first:first+second]), c)
	}
}

const wordBytes = 8

func asBytes(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*wordBytes)
}
