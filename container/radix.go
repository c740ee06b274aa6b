package container

import (
	"cmp"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// ordinal returns a function from keys to numbers that keeps their order; nil for keys that are strings.
func ordinal[K cmp.Ordered]() func(k K) uint64 {
	switch t := reflect.TypeFor[K](); t.Kind() {
	case reflect.String:
		return nil
	case reflect.Float32:
		return func(k K) uint64 { return ofFloat(float64(*(*float32)(unsafe.Pointer(&k)))) }
	case reflect.Float64:
		return func(k K) uint64 { return ofFloat(*(*float64)(unsafe.Pointer(&k))) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		shift := 64 - t.Bits()
		return func(k K) uint64 { return uint64(int64(bitsOf(k)<<shift)>>shift) ^ sign }
	default:
		return bitsOf[K]
	}
}

const sign = 1 << 63

// ofFloat follows cmp.Compare: NaN comes before all others, and -0 equals 0.
func ofFloat(f float64) uint64 {
	switch b := math.Float64bits(f + 0); {
	case f != f:
		return 0
	case b&sign != 0:
		return ^b
	default:
		return b | sign
	}
}

// bitsOf returns the bits of an integer, without sign extension.
func bitsOf[K cmp.Ordered](k K) uint64 {
	switch at := unsafe.Pointer(&k); unsafe.Sizeof(k) {
	case 1:
		return uint64(*(*uint8)(at))
	case 2:
		return uint64(*(*uint16)(at))
	case 4:
		return uint64(*(*uint32)(at))
	default:
		return *(*uint64)(at)
	}
}

// keyed is an element with the number to sort it by. An element of no bytes takes no space.
type keyed[T any] struct {
	of  T
	key uint64
}

const (
	digitBits = 8
	digits    = 64 / digitBits
)

// radixSort sorts by keys, and keeps the order of equal ones. room has the same length. It returns all or room,
// whichever has the result. It takes a pass for each digit where keys differ.
func radixSort[T any](all, room []keyed[T]) []keyed[T] {
	var counts [digits][1 << digitBits]int
	for _, e := range all {
		for d := range digits {
			counts[d][uint8(e.key>>(d*digitBits))]++
		}
	}
	for d := range digits {
		places := &counts[d]
		if len(all) == 0 || places[uint8(all[0].key>>(d*digitBits))] == len(all) {
			continue
		}
		at := 0
		for i, n := range places {
			places[i] = at
			at += n
		}
		for _, e := range all {
			digit := uint8(e.key >> (d * digitBits))
			room[places[digit]] = e
			places[digit]++
		}
		all, room = room, all
	}
	return all
}

// sortWords sorts integers of 8 bytes as numbers, after flipping the bits of sign. It needs memory for a copy.
func sortWords[R any](rows []R, sign uint64) {
	words := as[keyed[struct{}]](rows)
	for i := range words {
		words[i].key ^= sign
	}
	copy(words, radixSort(words, make([]keyed[struct{}], len(words))))
	for i := range words {
		words[i].key ^= sign
	}
}

// sortByKey sorts rows by numbers. It needs memory for 2 to 4 copies of the rows.
func sortByKey[R any](rows []R, key func(r *R) uint64) {
	const small = 16
	switch n := len(rows); {
	case n < few:
		slices.SortStableFunc(rows, func(a, b R) int { return cmp.Compare(key(&a), key(&b)) })
	case unsafe.Sizeof(rows[0]) <= small:
		all := make([]keyed[R], 2*n)
		for i := range rows {
			all[i] = keyed[R]{rows[i], key(&rows[i])}
		}
		for i, e := range radixSort(all[:n], all[n:]) {
			rows[i] = e.of
		}
	default: // moves each row once
		all, unsorted := make([]keyed[int], 2*n), slices.Clone(rows)
		for i := range rows {
			all[i] = keyed[int]{i, key(&rows[i])}
		}
		for i, e := range radixSort(all[:n], all[n:]) {
			rows[i] = unsorted[e.of]
		}
	}
}

const (
	few       = 256 // below this number of rows, comparisons sort
	textDepth = 16  // number of equal prefixes after which comparisons sort
)

// sortByText sorts rows by strings: by the first 8 bytes where they may differ, as numbers, and rows that are equal
// there by the bytes that follow. So most strings are read once. It needs memory for 3 copies of the rows.
func sortByText[R any](rows []R, text func(r *R) string) { sortBeyond(rows, text, 0) }

func sortBeyond[R any](rows []R, text func(r *R) string, depth int) {
	if len(rows) < few || depth == textDepth {
		slices.SortFunc(rows, func(a, b R) int { return cmp.Compare(text(&a), text(&b)) })
		return
	}
	ends := sortByPrefix(rows, text)
	if ends == nil {
		return
	}
	for from, to := 0, 0; from < len(rows); from = to {
		for to = from + 1; to < len(rows) && ends[to/64]>>(to%64)&1 == 0; {
			to++
		}
		if to-from > 1 {
			sortBeyond(rows[from:to], text, depth+1)
		}
	}
}

// sortByPrefix sorts rows by the 8 bytes after their common prefix. It returns a bit for each row, set if the row
// differs from the one before; nil if all are equal.
func sortByPrefix[R any](rows []R, text func(r *R) string) (differs []uint64) {
	same, equal := text(&rows[0]), true
	for i := 0; i < len(rows) && (equal || len(same) > 0); i++ {
		t := text(&rows[i])
		equal = equal && t == same
		same = same[:inCommon(same, t)]
	}
	if equal {
		return nil
	}
	all, unsorted := make([]keyed[int], 2*len(rows)), slices.Clone(rows)
	for i := range rows {
		all[i] = keyed[int]{i, prefix(text(&rows[i])[len(same):])}
	}
	differs = make([]uint64, len(rows)/64+1)
	last := uint64(0)
	for i, e := range radixSort(all[:len(rows)], all[len(rows):]) {
		if rows[i] = unsorted[e.of]; e.key != last {
			differs[i/64] |= 1 << (i % 64)
		}
		last = e.key
	}
	return differs
}

// inCommon returns the length of the common prefix of two strings.
func inCommon(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// prefix returns the first 8 bytes of a string as a number, padded with zeros. Numbers that differ are in the order of
// the strings.
func prefix(s string) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64(unsafe.Slice(unsafe.StringData(s), 8))
	}
	n := uint64(0)
	for i := range len(s) {
		n |= uint64(s[i]) << (56 - 8*i)
	}
	return n
}
