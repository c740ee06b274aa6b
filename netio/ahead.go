package netio

import "unsafe"

// ahead has the processor bring near the elements of a table that are about to be visited in random order, and does not wait
// for them: for each key, which is the first 8 bytes of an element of keys, the element at the key's low bits. It costs about a
// nanosecond a key and changes nothing; elements that are brought near too early are gone again, so it serves some tens of keys
// at a time (see [Visit]). It does nothing when the length of the table is no power of two, or keys are shorter.
func ahead[T, K any](table []T, keys []K) {
	if n := len(table); n == 0 || n&(n-1) != 0 || len(keys) == 0 || unsafe.Sizeof(keys[0]) < 8 {
		return
	}
	fetchLow(unsafe.Pointer(unsafe.SliceData(table)), unsafe.Sizeof(table[0]), uint64(len(table)-1),
		unsafe.Pointer(unsafe.SliceData(keys)), unsafe.Sizeof(keys[0]), len(keys))
}

// aheadOf is how many keys are looked ahead: as many misses as a processor has under way, and some more.
const aheadOf = 32

// Visit calls visit with all keys, in blocks and in their order, each after the elements of the block behind it have been asked
// for: those at the low bits of the keys, which are the first 8 bytes of the elements of keys. Nothing is asked for when the length
// of the table is no power of two, or keys are shorter.
func Visit[T, K any](table []T, keys []K, visit func(block []K)) {
	for n := min(aheadOf, len(keys)); n > 0; n = min(aheadOf, len(keys)) {
		block := keys[:n]
		keys = keys[n:]
		ahead(table, keys[:min(aheadOf, len(keys))])
		visit(block)
	}
}
