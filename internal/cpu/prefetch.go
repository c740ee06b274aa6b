package cpu

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// outOfReach reports whether a table of so many bytes is so much larger than a core's own cache that its elements are
// worth prefetching. Of a smaller one a processor has the elements of the next keys under way by itself, and a prefetch
// is an instruction too many. Where the cache's size is not known, all tables are.
func outOfReach(bytes uintptr) bool { return bytes > 8*uintptr(ownCache()) }

// ownCache is the size of a core's own cache, the one of the second level.
var ownCache = sync.OnceValue(func() int64 {
	text, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cache/index2/size")
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(string(text)), "K"), 10, 64)
	return n << 10
})

// prefetchKeys prefetches, for each key, the element at the key's low bits. A key is the first 8 bytes of an element of
// keys. It costs about a nanosecond a key. Elements that are prefetched too early are evicted again, so it serves some
// tens of keys at a time. It does nothing when the length of the table is no power of two, or keys are shorter than 8
// bytes.
func prefetchKeys[T, K any](table []T, keys []K) {
	if n := len(table); n == 0 || n&(n-1) != 0 || len(keys) == 0 || unsafe.Sizeof(keys[0]) < 8 {
		return
	}
	prefetchLow(unsafe.Pointer(unsafe.SliceData(table)), unsafe.Sizeof(table[0]), uint64(len(table)-1),
		unsafe.Pointer(unsafe.SliceData(keys)), unsafe.Sizeof(keys[0]), len(keys))
}

// prefetchBlock is the number of keys in a block: as many as a processor has misses in flight, and some more.
const prefetchBlock = 32

// PrefetchEach calls visit with all keys, in order and in blocks of at most 32. Before each call it prefetches the
// elements of the table that the next block will touch: those at the low bits of its keys. A key is the first 8 bytes
// of an element of keys. The blocks are parts of keys. Nothing is prefetched when the length of the table is no power
// of two, when it has at most eight times the bytes of a core's own cache, or keys are shorter than 8 bytes.
func PrefetchEach[T, K any](table []T, keys []K, visit func(block []K)) {
	ahead := outOfReach(uintptr(len(table)) * unsafe.Sizeof(*new(T)))
	for n := min(prefetchBlock, len(keys)); n > 0; n = min(prefetchBlock, len(keys)) {
		block := keys[:n]
		keys = keys[n:]
		if ahead {
			prefetchKeys(table, keys[:min(prefetchBlock, len(keys))])
		}
		visit(block)
	}
}
