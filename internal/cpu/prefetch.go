package cpu

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// outOfReach reports whether a table of the given size is larger than a core's own cache. For a smaller one a prefetch
// costs more than it saves.
func outOfReach(bytes uintptr) bool { return bytes > ownCache() }

// ownCache returns the size of a core's own cache, of the second level: 512 KiB if the system does not report it.
var ownCache = sync.OnceValue(func() uintptr {
	text, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cache/index2/size")
	if err == nil {
		n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(string(text)), "K"), 10, 32)
		if err == nil && n > 0 {
			return uintptr(n) << 10
		}
	}
	return 512 << 10
})

// prefetchKeys prefetches, for each key, the element at the key's low bits. A key is the first 8 bytes of an element of
// keys. It costs about a nanosecond per key. Elements that are prefetched too early are evicted again, so it serves
// tens of keys at a time. It does nothing if the length of the table is no power of two, or keys are shorter than 8
// bytes.
func prefetchKeys[T, K any](table []T, keys []K) {
	if n := len(table); n == 0 || n&(n-1) != 0 || len(keys) == 0 || unsafe.Sizeof(keys[0]) < 8 {
		return
	}
	prefetchLow(unsafe.Pointer(unsafe.SliceData(table)), unsafe.Sizeof(table[0]), uint64(len(table)-1),
		unsafe.Pointer(unsafe.SliceData(keys)), unsafe.Sizeof(keys[0]), len(keys))
}

// prefetchBlock is the number of keys in a block: a little more than a processor's misses in flight.
const prefetchBlock = 32

// PrefetchEach calls visit with all keys, in order and in blocks of at most 32. Before each call it prefetches the
// elements of the table that the next block will touch: those at the low bits of its keys. A key is the first 8 bytes
// of an element of keys. The blocks are parts of keys. Nothing is prefetched if the length of the table is no power of
// two, if it fits into a core's own cache, or if keys are shorter than 8 bytes.
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
