package container

import (
	"cmp"
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
	const few, small = 256, 16
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
