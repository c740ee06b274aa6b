package container

import (
	"cmp"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// ordinal makes a number of a key, such that numbers are in the order of keys; nil for keys that are strings.
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

// ofFloat follows cmp.Compare: NaN is before all, and -0 is 0.
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

// bitsOf is an integer's bits, without those of its sign above them.
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

// keyed is something that is sorted by a number. What has no bytes takes none.
type keyed[T any] struct {
	of  T
	key uint64
}

const (
	digitBits = 8
	digits    = 64 / digitBits
)

// radixSort sorts by keys, and keeps the order of equal ones. room is as long. It returns the one of both that has the
// result. It takes a pass over all for each digit in which keys differ.
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

// sortWords sorts integers of 8 bytes by numbers that are theirs but for a sign. It needs memory for as many.
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

// sortByKey sorts rows by numbers. It needs memory for 2 to 4 times as many.
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
	default: // moved once
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
	few       = 256 // rows that are sorted by comparisons
	textDepth = 16  // times that equal first bytes are looked beyond, before comparisons do the rest
)

// sortByText sorts rows by strings: by the first 8 bytes in which they may differ, as numbers, and those that are equal
// there by what follows. So the strings of most rows are looked at once. It needs memory for 3 times as many.
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

// sortByPrefix sorts rows by the 8 bytes after what all have in common. It returns a bit for each row, which says that
// it differs from the one before; nil if all are equal.
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

// inCommon is how many bytes two strings begin with that are the same.
func inCommon(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// prefix is the first 8 bytes of a string as a number, with zeros where it is shorter: numbers that differ are in the
// order of the strings.
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
